import { readFileSync } from "node:fs";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";
import { startChildHost } from "../start-child-host.ts";
import type { TestBed } from "../test-bed.ts";

/**
 * A host with a secret in its environment. What a command finds is written to a file: an output would hide the secret
 * even where it was found.
 */
const leaks = (name: string, command: string, source = "notes"): Case => ({
  name,
  source,
  attack: async (testBed) => {
    const environment = {
      HOX_CANARY: testBed.canary,
      ANTHROPIC_API_KEY: testBed.canary,
      NPM_TOKEN: testBed.canary,
    };
    const full = `(${command}) > found.txt 2>/dev/null; echo tried`;
    await testBed.runWithSecrets(full, environment);
    testBed.see(readFileSync(testBed.inside("found.txt"), "latin1"));
  },
  judge: (testBed) => (testBed.seen.includes("tried") ? refused : failed("the attack did not run")),
});

/** A secret in an output is hidden. The canary is the secret. */
const redacts = (name: string, command: (secret: string) => string, source = "notes"): Case => ({
  name,
  source,
  attack: async (testBed) => {
    await testBed.run(`${command(testBed.canary)}; echo tried`, { secrets: [testBed.canary] });
  },
  judge: (testBed) => {
    const base64 = Buffer.from(testBed.canary).toString("base64").slice(0, 20);
    if (testBed.seen.includes(base64)) return failed("the secret was shown in base64");
    return testBed.seen.includes("tried") ? refused : failed("the attack did not run");
  },
});

const halves = (secret: string): readonly [string, string] => [secret.slice(0, 11), secret.slice(11)];

export const environment: Family = {
  name: "environment",
  cases: [
    leaks("environment-of-the-command", "env; set; export; cat /proc/self/environ"),
    leaks("environment-of-every-process", "cat /proc/*/environ /proc/*/task/*/environ; cat /proc/1/environ"),
    leaks("command-lines-of-every-process", "cat /proc/*/cmdline; ps -ef; ps auxe", "own"),
    leaks(
      "environment-of-node-and-python",
      `node -p 'JSON.stringify(process.env)'; /usr/bin/python3 -c 'import os; print(os.environ)'`,
    ),
    leaks(
      "environment-of-git-and-npm",
      "git config --list --show-origin; npm config list -l; cat ~/.npmrc ~/.gitconfig",
      "own",
    ),
    {
      name: "memory-of-every-process",
      source: "own",
      impossible: withoutPython,
      attack: async (testBed) => {
        const command = python(`
found = open("found.txt", "wb")
for pid in filter(str.isdigit, os.listdir("/proc")):
    if pid == str(os.getpid()): continue
    try:
        memory = open("/proc/%s/mem" % pid, "rb", 0)
        for line in open("/proc/%s/maps" % pid):
            ends, rights = line.split()[:2]
            if not rights.startswith("rw"): continue
            start, end = (int(part, 16) for part in ends.split("-"))
            memory.seek(start)
            found.write(memory.read(min(end - start, 4000000)))
    except OSError: pass
print("tried")`);
        await testBed.runWithSecrets(command, { HOX_CANARY: testBed.canary });
        testBed.see(readFileSync(testBed.inside("found.txt"), "latin1"));
      },
      judge: (testBed) => (testBed.seen.includes("tried") ? refused : failed("the attack did not run")),
    },
    {
      name: "descriptor-that-the-host-was-started-with",
      source: "notes",
      attack: async (testBed) => {
        const wrapped = [
          "/bin/bash",
          "-c",
          'exec 99<"$1"; exec 98<"$1/secret"; shift; exec "$@"',
          "bash",
          testBed.folder,
        ];
        const command =
          "cat /proc/self/fd/99/secret /proc/self/fd/98; ls -l /proc/*/fd; cat /proc/1/fd/99/secret; echo tried";
        const child = startChildHost({ kind: "command", workspace: testBed.workspace, command }, { wrapped });
        testBed.see((await child.ended).output);
      },
      judge: (testBed) => (testBed.seen.includes("tried") ? refused : failed("the attack did not run")),
    },
    {
      name: "keystrokes-for-the-users-terminal",
      source: "own",
      impossible: withoutPython,
      attack: async (testBed) => {
        // A host in a real terminal: what is pushed into its input would be typed for the user.
        const wrapped = [
          "/usr/bin/python3",
          "-c",
          "import pty, sys, os; os._exit(pty.spawn(sys.argv[1:]) >> 8)",
        ];
        const command = python(`
import fcntl
for name in ("/dev/tty", "/dev/pts/0", "/dev/console", "/proc/1/fd/0", "/dev/stdin"):
    attempt(name, lambda: [fcntl.ioctl(os.open(name, os.O_RDWR), 0x5412, b"x") for letter in range(3)] and None)
print("tried")`);
        const child = startChildHost({ kind: "command", workspace: testBed.workspace, command }, { wrapped });
        testBed.see((await child.ended).output);
      },
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        return testBed.seen.includes("HAPPENED") ? failed("keys were typed into the terminal") : refused;
      },
    },
    {
      name: "standard-input",
      source: "notes",
      attack:
        'read x && echo READ; cat; node -e \'process.stdin.on("data", () => console.log("READ"))\'; echo tried',
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        return testBed.seen.includes("READ") ? failed("there was something to read") : refused;
      },
    },
    redacts("secret-printed", (secret) => `echo ${secret}; echo "x${secret}y"; printf '%s' ${secret}`),
    redacts("secret-printed-in-pieces", (secret) => {
      const [one, other] = halves(secret);
      return `printf ${one}; sleep 0.2; printf ${other}; sleep 0.1; echo; for c in $(echo ${one} | fold -w1); do printf $c; sleep 0.01; done; printf ${other}`;
    }),
    redacts(
      "secret-printed-in-base64",
      (secret) => `printf ${secret} | base64; printf ${secret} | base64 -w 0`,
    ),
    redacts(
      "secret-printed-between-escapes",
      (secret) => {
        const [one, other] = halves(secret);
        return `printf '${one}\\033[0m${other}\\n${one}\\000${other}\\n${one}\\010\\010${other}\\n${one}\\033]0;x\\007${other}\\n'`;
      },
      "own",
    ),
    redacts(
      "secret-printed-to-both-outputs",
      (secret) => {
        const [one, other] = halves(secret);
        return `printf ${one} >&2; printf ${other}; echo; echo ${secret} >&2`;
      },
      "own",
    ),
    redacts(
      "secret-printed-between-invisible-characters",
      (secret) => {
        const [one, other] = halves(secret);
        return `printf '${one}\\342\\200\\256${other}\\n'`;
      },
      "own",
    ),
    {
      name: "terminal-escapes-in-the-output",
      source: "notes",
      attack: (testBed) =>
        testBed.run(
          "printf 'a\\033[31m\\033]0;title\\007\\033]8;;http://x\\007l\\033]8;;\\007\\033]52;c;eA==\\007\\033P+q\\033\\\\\\033[2J\\033c\\217\\302\\233 31m\\342\\200\\256x\\b\\b\\n'; printf '\\033'; printf ']0;x'; sleep 0.1; printf '\\007'; printf '\\033['; sleep 0.1; printf '31mtried'",
        ),
      judge: (testBed: TestBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being looked for
        return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u.test(testBed.seen)
          ? failed("a control character came through")
          : refused;
      },
    },
  ],
};
