import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { bounded, failed, race, refused } from "../case.ts";
import { python, swapping, withoutPython } from "../programs.ts";
import { slack } from "../waiting.ts";

/** A command that is ended at some moment of its first quarter of a second, mostly before it has begun. */
const early = (name: string, way: "cancel" | "time limit"): Case => ({
  name,
  source: "own",
  tries: race,
  attack: async (testBed) => {
    const ms = 1 + Math.floor(Math.random() * 250);
    const stop = new AbortController();
    if (way === "cancel") setTimeout(() => stop.abort(), ms);
    const command = `setsid sh -c ': ${testBed.marker}; while :; do echo x >> running; sleep 0.01; done' </dev/null >/dev/null 2>&1 & sleep 60`;
    const result = await testBed.run(command, way === "cancel" ? { signal: stop.signal } : { timeoutMs: ms });
    testBed.note = `${result.outcome} ${result.ms}`;
  },
  judge: (testBed) => {
    const [outcome, ms = 0] = testBed.note.split(" ");
    if (outcome !== "cancelled" && outcome !== "timed-out") return failed(`it answered ${outcome}`);
    return Number(ms) > 2_500 * slack ? failed(`it took ${ms} ms to end`) : refused;
  },
});

/**
 * Mounting goes by names, and a program outside exchanges the workspace with another folder, over and over. Whichever of the two a
 * command gets has to be the one that is looked through afterwards.
 */
const exchanged: Case = {
  name: "a-workspace-that-is-exchanged-while-it-is-mounted",
  source: "F1, own",
  tries: { long: 20, short: 5, tests: 0 },
  impossible: withoutPython,
  plant: (testBed) => {
    for (const name of ["one", "two"])
      for (const path of [".jj/repo", ".env", "a.txt"]) testBed.putInside(`${name}/${path}`, name);
  },
  attack: async (testBed) => {
    const sandbox = await testBed.sandbox();
    const { workspace } = testBed;
    const swapper = spawn("/bin/sh", ["-c", `exec ${swapping(testBed.marker, "one", "two", 1)}`], {
      cwd: workspace,
    });
    const ended = new Promise((resolve) => swapper.once("close", resolve));
    while (!existsSync(testBed.inside("swapped"))) await wait(5);
    for (let again = 0; again < 8; again++) {
      const command = { command: "echo x > CLAUDE.md; echo began", environment: {}, timeoutMs: 8_000 };
      await sandbox
        .run({ ...command, workspace: testBed.inside("one"), signal: new AbortController().signal })
        .then(({ output }) => testBed.see(output))
        .catch((error: unknown) => testBed.see(String(error)));
    }
    swapper.kill("SIGKILL");
    await ended;
  },
  judge: (testBed) => {
    if (!/began|was exchanged/u.test(testBed.seen)) return failed("the attack did not run");
    return testBed.names().some((path) => path.endsWith("CLAUDE.md"))
      ? failed("a command began in the other folder")
      : refused;
  },
};

/** The way in: what the host has open while it lets a command begin, and what a command still has of it. */
export const entrance: Family = {
  name: "entrance",
  cases: [
    early("cancel-while-the-sandbox-is-set-up", "cancel"),
    early("time-limit-while-the-sandbox-is-set-up", "time limit"),
    exchanged,
    {
      name: "descriptors-that-a-command-has",
      source: "own",
      impossible: withoutPython,
      attack: python(`
for name in sorted(os.listdir("/proc/self/fd"), key=int):
    try: target = os.readlink("/proc/self/fd/" + name)
    except OSError: continue
    if int(name) > 2 and not target.startswith("/proc/") and target != "/dev/null": print("OPEN", name, target)
print("tried")`),
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        const open = [...testBed.seen.matchAll(/^OPEN (.*)$/gmu)].map(([, what]) =>
          what?.replace(/\d{3,}/gu, "…"),
        );
        return open.length > 0 ? failed(`open: ${[...new Set(open)].join(", ")}`) : refused;
      },
    },
    {
      name: "descriptors-taken-from-the-init",
      source: "own",
      impossible: withoutPython,
      attack: async (testBed) => {
        const before = process.memoryUsage().rss;
        await testBed.run(
          python(`# ${testBed.marker}
import stat
block = b"r" * 1048576
end = time.time() + 4
taken = []
for pid in (1, os.getppid()):
    handle = libc.syscall(434, pid, 0)
    for fd in range(64):
        mine = libc.syscall(438, handle, fd, 0)
        if mine < 0: continue
        try: kind = stat.S_IFMT(os.fstat(mine).st_mode)
        except OSError: continue
        if kind in (stat.S_IFSOCK, stat.S_IFIFO) and (pid == 1 and fd > 2): taken.append((fd, mine))
print("TAKEN", len(taken), flush=True)
sent = 0
for fd, mine in taken:
    os.set_blocking(mine, False)
while taken and time.time() < end and sent < 900:
    for fd, mine in taken:
        try: sent += os.write(mine, block) / 1048576
        except OSError: pass
print("SENT", int(sent)); print("tried")`),
        );
        testBed.note = String(process.memoryUsage().rss - before);
      },
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        const sent = Number(/SENT (\d+)/u.exec(testBed.seen)?.[1] ?? 0);
        if (Number(testBed.note) > 300e6)
          return failed(`the host took ${Math.round(Number(testBed.note) / 1e6)} MB of it`);
        return sent > 0 ? bounded(`${sent} MB were sent to the host and not kept`) : refused;
      },
    },
    {
      name: "a-command-that-kills-its-own-entrance",
      source: "own",
      attack: async (testBed) => {
        const result = await testBed.run("kill -9 -1; kill -9 1; kill -9 $PPID; kill -9 $$", {
          timeoutMs: 8_000 * slack,
        });
        testBed.note = `${result.outcome} ${result.ms}`;
      },
      judge: (testBed) =>
        Number(testBed.note.split(" ")[1]) > 5_000 * slack ? failed(`it hung: ${testBed.note}`) : refused,
    },
    {
      name: "commands-side-by-side-in-one-workspace",
      source: "own",
      attack: async (testBed) => {
        await Promise.all(
          Array.from({ length: 4 }, (_, index) =>
            testBed.run(`echo x > CLAUDE.md; mkdir -p d${index}; echo x > d${index}/.npmrc; sleep 0.1`),
          ),
        );
        testBed.note = ["CLAUDE.md", "d0/.npmrc", "d1/.npmrc", "d2/.npmrc", "d3/.npmrc"]
          .filter((path) => existsSync(testBed.inside(path)))
          .join(" ");
      },
      judge: (testBed) => (testBed.note === "" ? refused : failed(`left: ${testBed.note}`)),
    },
    {
      name: "a-workspace-whose-name-is-a-trap",
      source: "own",
      attack: async (testBed) => {
        const sandbox = await testBed.sandbox();
        for (const name of ["--bind", "a b", "a\nb", "$(touch x)", "'; touch x; '", "ä\u202e", "%s%n"]) {
          const workspace = `${testBed.workspace}/${name}/workspace`;
          mkdirSync(`${workspace}/.jj`, { recursive: true });
          const command = {
            command: "pwd; echo x > .jj/repo; cat ../../../secret; echo tried",
            workspace,
            environment: {},
            timeoutMs: 8_000,
          };
          testBed.see((await sandbox.run({ ...command, signal: new AbortController().signal })).output);
        }
      },
      judge: (testBed) =>
        testBed.seen.split("tried").length === 8 ? refused : failed("a command did not run"),
    },
    {
      name: "an-environment-that-is-a-trap",
      source: "own",
      attack: async (testBed) => {
        await testBed.run("env; echo tried", {
          environment: {
            LD_PRELOAD: "",
            BASH_ENV: "/dev/null",
            "A B": "--bind",
            X: "a\nb",
            PATH: "/usr/bin:/bin",
            "--setenv": "x",
          },
        });
      },
      judge: (testBed) => (testBed.seen.includes("tried") ? refused : failed("the command did not run")),
    },
  ],
};
