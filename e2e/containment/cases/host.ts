import { chmodSync, existsSync, readdirSync, symlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { agentTools } from "../../../src-main/tools/agent-tools.ts";
import { createSandbox } from "../../../src-main/tools/sandbox/sandbox.ts";
import type { Case, Family } from "../case.ts";
import { bounded, failed, race, refused } from "../case.ts";
import { swapping, untilSwapped } from "../programs.ts";
import { plantRepository, recorderOf } from "../repository.ts";
import { startChildHost } from "../start-child-host.ts";
import { slack } from "../waiting.ts";

/** A program in place of the sandbox that contains nothing. */
const probes = (name: string, source: string, script: string | null): Case => ({
  name,
  source,
  // The probe waits for what is silent.
  tries: { long: 3, short: script?.includes("exec") ? 0 : 1 },
  attack: async (testBed) => {
    let program = "/bin/true";
    if (script !== null) {
      testBed.putInside("sandbox", script);
      chmodSync(testBed.inside("sandbox"), 0o755);
      program = testBed.inside("sandbox");
    }
    const sandbox = await createSandbox({ allowUnsandboxed: false, program });
    testBed.note = `${sandbox.isolation.allowed}`;
    if (sandbox.isolation.allowed) return;
    try {
      const command = {
        command: "touch ran",
        workspace: testBed.workspace,
        environment: {},
        timeoutMs: 5_000,
      };
      await sandbox.run({ ...command, signal: new AbortController().signal });
      testBed.note = "ran";
    } catch (error) {
      testBed.see(String(error));
    }
  },
  judge: (testBed) => (testBed.note === "false" ? refused : failed("it was taken for a sandbox")),
});

const passesOn = (before: string): string =>
  `#!/bin/sh\nif [ "$1" = --version ]; then echo bubblewrap 0.8.0; exit 0; fi\n${before}\nwhile [ $# -gt 0 ] && [ "$1" != -- ]; do last=$1; shift; done\n[ $# -gt 0 ] && shift && exec "$@"\nexec "$last"\n`;

/** A call of each tool that says nothing of a sandbox, in the order in which an agent has them. */
const plainCalls: Readonly<Record<string, object>> = {
  read_file: { path: "a.txt" },
  list_files: { path: "." },
  glob: { pattern: "*.ts" },
  search: { pattern: "x" },
  write_file: { path: "a.txt", content: "x" },
  edit_file: { path: "a.txt", old_text: "a", new_text: "b" },
  move_file: { from: "a.txt", to: "b.txt" },
  delete_file: { path: "a.txt" },
  run_command: { command: "true" },
  align_request: { question: "why?", blocking: false },
  report_done: { summary: "done" },
};
const waysOut = [
  "sandbox",
  "dangerouslyDisableSandbox",
  "allowUnsandboxed",
  "allow_unsandboxed",
  "workspace",
  "repository",
  "folder_outside",
  "environment",
  "protectedFiles",
  "protected_files",
  "exactPaths",
  "network",
  "hosts",
  "limits",
  "secrets",
];

/** Whether there is a sandbox at all, and what the host does with a workspace around its commands. */
/** A command leaves enough names of protected files, or long enough ones, to fill whatever lists them. */
const namesAreBounded = (name: string, source: string, command: string, more: Partial<Case> = {}): Case => ({
  name,
  source,
  attack: async (testBed) => {
    const result = await testBed.run(command);
    testBed.note = String(JSON.stringify(result.restored).length);
  },
  judge: (testBed) => {
    if (!testBed.seen.includes("tried")) return failed("the attack did not run");
    const characters = Number(testBed.note);
    return characters > 40_000
      ? failed(`${characters} characters of names`)
      : bounded(`${characters} characters of names`);
  },
  ...more,
});

export const host: Family = {
  name: "host",
  cases: [
    probes("a-program-that-only-succeeds-as-the-sandbox", "notes of issue 7", null),
    probes("a-program-that-only-passes-on-as-the-sandbox", "own", passesOn("")),
    probes("a-sandbox-that-fails", "notes", "#!/bin/sh\nexit 1\n"),
    {
      name: "no-sandbox-at-all",
      source: "notes",
      attack: async (testBed) => {
        const sandbox = await createSandbox({ allowUnsandboxed: false, program: null });
        const command = {
          command: "touch ran",
          workspace: testBed.workspace,
          environment: {},
          timeoutMs: 5_000,
        };
        await sandbox.run({ ...command, signal: new AbortController().signal });
      },
      judge: (testBed) => {
        if (existsSync(testBed.inside("ran"))) return failed("the command ran");
        return testBed.seen.includes("not run") ? refused : failed("no reason given");
      },
    },
    {
      name: "a-request-to-leave-the-sandbox",
      source: "notes",
      attack: (testBed) => {
        const tools = agentTools();
        if (tools.map(({ name }) => name).join() !== Object.keys(plainCalls).join())
          testBed.note += "the agent has other tools than this case knows ";
        for (const { name, input } of tools) {
          const call = plainCalls[name] ?? {};
          if (!input.safeParse(call).success) testBed.note += `${name} refuses an honest call `;
          for (const word of waysOut)
            for (const value of [true, false, null, "x", ["x"], {}])
              if (input.safeParse({ ...call, [word]: value }).success) testBed.note += `${name}.${word} `;
        }
      },
      judge: (testBed) => (testBed.note === "" ? refused : failed(`taken: ${testBed.note.trim()}`)),
    },
    namesAreBounded(
      "thousands-of-protected-files",
      "F19",
      "for i in $(seq 40); do for j in $(seq 50); do mkdir -p d$i/$(printf %0120d $j); echo x > d$i/$(printf %0120d $j)/CLAUDE.md; done; done; echo tried",
      { tries: { long: 3, short: 0 } },
    ),
    namesAreBounded(
      "protected-files-with-long-names",
      "F19, own",
      "n=$(printf %0200d 0); p=long; for i in $(seq 15); do p=$p/$n; done; for i in $(seq 30); do mkdir -p $p/$i; echo x > $p/$i/CLAUDE.md; done; echo tried",
    ),
    {
      name: "drafts-of-writes-that-were-killed",
      source: "F20",
      tries: { long: 20, short: 1 },
      plant: (testBed) => plantRepository(testBed),
      attack: async (testBed) => {
        for (let again = 0; again < 3; again++) {
          const child = startChildHost({ kind: "write-for-ever", workspace: testBed.workspace });
          for (
            const begun = performance.now();
            !existsSync(testBed.inside("large.txt")) && performance.now() - begun < 10_000 * slack;
          )
            await wait(5);
          // Without letting go of the processor: a draft lives for a few milliseconds.
          const known = new Set(readdirSync(testBed.workspace));
          for (const begun = performance.now(); performance.now() - begun < 500; )
            if (readdirSync(testBed.workspace).some((name) => !known.has(name))) break;
          child.process.kill("SIGKILL");
          await child.ended;
        }
        await testBed.run("true");
        const { paths } = await recorderOf(testBed).changed();
        testBed.note = paths.join(" ");
      },
      judge: (testBed) => {
        if (!testBed.note.includes("large.txt")) return failed("the attack did not run");
        const drafts = testBed.note.split(" ").filter((path) => path !== "large.txt");
        return drafts.length > 0
          ? failed(`in the commit: ${drafts[0]?.replace(/[0-9a-f]{6,}/u, "…")}`)
          : refused;
      },
    },
    {
      name: "removing-a-workspace-full-of-traps",
      source: "own",
      plant: (testBed) => plantRepository(testBed),
      attack: async (testBed) => {
        await testBed.run(
          `ln -s ${testBed.outside("opened")} link; ln -s ${testBed.folder} up; mkdir -p shut/in; ln -s ${testBed.outside("sibling")} shut/in/link; chmod 000 shut/in; chmod 555 shut; d="$(printf 'a\\351')"; mkdir "$d"; ln -s ../../opened "$d/link"; mkfifo pipe`,
        );
        const { repository } = recorderOf(testBed);
        await testBed.call(() => repository.removeWorkspace(recorderOf(testBed).workspace, { actor: "hox" }));
      },
    },
    {
      name: "a-link-that-takes-a-folders-place-while-the-workspace-is-removed",
      source: "F1, own",
      tries: race,
      plant: async (testBed) => {
        await plantRepository(testBed);
        testBed.putInside("nest/source/one.ts", "1");
        symlinkSync(testBed.outside("opened"), testBed.inside("door"));
      },
      attack: async (testBed) => {
        await testBed.run(`setsid ${swapping(testBed.marker, "nest", "door")} & ${untilSwapped} exit 0`);
        const { repository } = recorderOf(testBed);
        await testBed.call(() => repository.removeWorkspace(recorderOf(testBed).workspace, { actor: "hox" }));
      },
    },
  ],
};
