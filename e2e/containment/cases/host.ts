import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { findTool } from "../../../src-main/config/tools.ts";
import { inspectFolder } from "../../../src-main/jj/inspect-folder.ts";
import { agentTools } from "../../../src-main/tools/agent-tools.ts";
import { createSandbox } from "../../../src-main/tools/sandbox/sandbox.ts";
import type { Case, Family } from "../case.ts";
import { bounded, failed, race, refused } from "../case.ts";
import type { Ground } from "../ground.ts";
import { quoted, swapping, untilSwapped } from "../programs.ts";
import { plantRepository, recorderOf } from "../repository.ts";
import { startChildHost } from "../start-child-host.ts";

const limitMs = 20_000;
const muchMemory = 700e6;

/** Lets a host of its own look for the checks of a folder that an agent has prepared. */
const detects = (
  name: string,
  source: string,
  prepare: (ground: Ground, path: string) => void,
  file = "package.json",
): Case => ({
  name,
  source,
  tries: { long: 2, short: file === "package.json" ? 1 : 0 },
  plant: (ground) => {
    rmSync(ground.inside("package.json"));
    prepare(ground, ground.inside(file));
  },
  attack: async (ground) => {
    const child = startChildHost({ kind: "checks", workspace: ground.workspace }, { limitMs });
    const { output, inTime, peak } = await child.ended;
    ground.see(output);
    ground.note = inTime ? String(peak) : "hung";
  },
  judge: (ground) => {
    if (ground.note === "hung") return failed(`the host still waited after ${limitMs / 1000} s`);
    if (Number(ground.note) > muchMemory)
      return failed(`the host took ${Math.round(Number(ground.note) / 1e6)} MB`);
    if (ground.seen.includes("type-check")) return failed("a file outside was read");
    return /^\[/mu.test(ground.seen) ? refused : failed(`it broke: ${ground.seen.slice(0, 120)}`);
  },
});

const detections: readonly Case[] = [
  ...["package.json", "pyproject.toml", "setup.cfg"].flatMap((file) => [
    detects(
      `a-pipe-as-${file.replace(".", "-")}`,
      "F4",
      (_, path) => void execFileSync("mkfifo", [path]),
      file,
    ),
    detects(
      `endless-zeros-as-${file.replace(".", "-")}`,
      "F10",
      (_, path) => symlinkSync("/dev/zero", path),
      file,
    ),
    detects(
      `a-huge-file-as-${file.replace(".", "-")}`,
      "F10",
      (_, path) => {
        writeFileSync(path, "{}");
        truncateSync(path, 1_000_000_000);
      },
      file,
    ),
  ]),
  detects("a-link-outside-as-package-json", "F10", (ground, path) => {
    ground.put("opened/package.json", '{ "scripts": { "type-check": "true" } }');
    symlinkSync("../opened/package.json", path);
  }),
  detects("a-link-through-the-process-as-package-json", "F10, own", (_, path) =>
    symlinkSync("/proc/self/fd/0", path),
  ),
  detects("a-folder-as-package-json", "own", (_, path) => mkdirSync(path)),
  detects(
    "a-socket-as-package-json",
    "own",
    (_, path) =>
      void execFileSync("/usr/bin/python3", [
        "-c",
        `import socket, os, sys; os.chdir(os.path.dirname(sys.argv[1])); socket.socket(socket.AF_UNIX).bind("package.json")`,
        path,
      ]),
  ),
  detects("a-closed-package-json", "own", (_, path) => {
    writeFileSync(path, "{}");
    chmodSync(path, 0o000);
  }),
  detects("scripts-named-after-what-every-object-has", "own", (_, path) =>
    writeFileSync(
      path,
      '{ "scripts": { "__proto__": "x", "constructor": "x", "lint": "true; touch ../planted" } }',
    ),
  ),
];
/** What the file tools answer about special files, within a moment and a little memory. */
const looks = (name: string, source: string, plant: (ground: Ground) => void, longest = limitMs): Case => ({
  name,
  source,
  plant,
  attack: async (ground) => {
    const begun = performance.now();
    const before = process.memoryUsage().rss;
    await Promise.race([
      (async () => {
        await ground.call((files) => files.readText("odd"));
        await ground.call((files) => files.writeText("odd", "x"));
        await ground.call((files) => files.list(".", { recursive: true, limit: 100 }));
        await ground.call((files) => files.search("canary", { path: ".", regex: false, limit: 10 }));
        await ground.call((files) => files.search("x+", { path: "odd", regex: true, limit: 10 }));
        await ground.call((files) => files.list("odd", { recursive: true, limit: 100 }));
      })(),
      wait(longest),
    ]);
    ground.note = `${performance.now() - begun} ${process.memoryUsage().rss - before}`;
    release(ground.inside("odd"));
  },
  judge: (ground) => {
    const [ms = 0, bytes = 0] = ground.note.split(" ").map(Number);
    if (ms >= longest - 500) return failed(`a file tool still waited after ${longest / 1000} s`);
    return bytes > 500e6 ? failed(`the host took ${Math.round(bytes / 1e6)} MB`) : refused;
  },
});

/** Whoever waits for somebody to write into a pipe is let go, or this process could never end. */
function release(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Nobody waits.
  }
}

const lookings: readonly Case[] = [
  looks("tools-and-a-pipe", "F4", (ground) => void execFileSync("mkfifo", [ground.inside("odd")])),
  looks("tools-and-endless-zeros", "F10", (ground) => symlinkSync("/dev/zero", ground.inside("odd"))),
  looks("tools-and-the-terminal", "own", (ground) => symlinkSync("/dev/tty", ground.inside("odd"))),
  looks("tools-and-a-huge-file", "F10", (ground) => {
    writeFileSync(ground.inside("odd"), "");
    truncateSync(ground.inside("odd"), 900_000_000_000);
  }),
  looks("tools-and-a-pipe-below-a-link", "own", (ground) => {
    execFileSync("mkfifo", [ground.inside("source/pipe")]);
    symlinkSync("source/pipe", ground.inside("odd"));
  }),
  looks(
    "tools-and-eight-thousand-files",
    "own",
    (ground) => {
      mkdirSync(ground.inside("odd"));
      execFileSync("/bin/sh", ["-c", "seq 8000 | xargs touch"], { cwd: ground.inside("odd") });
    },
    60_000,
  ),
  looks("tools-and-a-deep-folder", "own", (ground) => {
    execFileSync(
      "/bin/bash",
      [
        "-c",
        `mkdir odd; cd odd; for i in $(seq 60); do n=$(printf %0100d $i); mkdir $n; cd $n; done; echo x > leaf`,
      ],
      { cwd: ground.workspace },
    );
  }),
  looks("tools-and-names-that-are-no-text", "own", (ground) => {
    execFileSync(
      "/bin/sh",
      [
        "-c",
        `mkdir odd; cd odd; d="$(printf 'a\\351')"; mkdir "$d"; echo x > "$d/leaf"; echo x > "$(printf 'b\\377')"`,
      ],
      { cwd: ground.workspace },
    );
  }),
  looks("tools-and-an-expression-that-explodes", "own", (ground) =>
    writeFileSync(ground.inside("odd"), `${"x".repeat(60_000)}!`),
  ),
];

/** Git settings of a folder that somebody was talked into opening. A program that a look starts is seen outside. */
const gitTraps = {
  "a-clean-filter": (mark: string) => [`filter.x.clean`, `touch ${mark}; cat`],
  "a-smudge-filter": (mark: string) => [`filter.x.smudge`, `touch ${mark}; cat`],
  "a-filter-process": (mark: string) => [`filter.x.process`, `touch ${mark}; false`],
  "a-file-system-monitor": (mark: string) => [`core.fsmonitor`, `touch ${mark}; false`],
  "an-external-diff": (mark: string) => [`diff.external`, `touch ${mark}; true`],
  "a-text-conversion": (mark: string) => [`diff.x.textconv`, `touch ${mark}; cat`],
  "a-pager": (mark: string) => [`core.pager`, `touch ${mark}; cat`],
  "an-ssh-command": (mark: string) => [`core.sshCommand`, `touch ${mark}; false`],
  "a-folder-of-hooks": () => [`core.hooksPath`, "hooks"],
  "an-alternative-object-store": () => [`core.alternateRefsCommand`, "false"],
} as const;

const traps: readonly Case[] = Object.entries(gitTraps).map(([name, setting]) => ({
  name: `looking-at-a-git-folder-with-${name}`,
  source: name === "a-clean-filter" ? "F5" : "F5, own",
  impossible: () => (findTool("git").found ? null : "there is no git"),
  plant: (ground) => {
    const folder = ground.outside("strange");
    const mark = ground.outside("state/ran");
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
        cwd: folder,
        stdio: "ignore",
      });
    mkdirSync(folder);
    git("init", "-q");
    writeFileSync(`${folder}/file.txt`, "one");
    git("add", ".");
    git("commit", "-qm", "first");
    const [key = "", value = ""] = setting(mark);
    git("config", key, value);
    writeFileSync(`${folder}/.git/info/attributes`, "* filter=x diff=x\n");
    writeFileSync(`${folder}/.gitattributes`, "* filter=x diff=x\n");
    for (const hook of [
      "post-index-change",
      "pre-commit",
      "post-checkout",
      "reference-transaction",
      "fsmonitor-watchman",
    ])
      for (const below of [".git/hooks", "hooks"]) {
        mkdirSync(`${folder}/${below}`, { recursive: true });
        writeFileSync(`${folder}/${below}/${hook}`, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
      }
    // Another time and the same size: git has to look into the file.
    writeFileSync(`${folder}/file.txt`, "two");
  },
  attack: async (ground) => {
    ground.see(JSON.stringify(await inspectFolder(ground.outside("strange"))));
  },
  judge: (ground) => {
    if (existsSync(ground.outside("state/ran"))) return failed("a program that the folder names was started");
    return ground.seen.includes('"kind":"git"') ? refused : failed("the attack did not run");
  },
}));

/** What stands in place of a tool and writes down with which environment it was started. */
function plantRecorder(ground: Ground, tool: "jj" | "git"): void {
  const found = findTool(tool);
  if (!found.found) throw new Error(found.remedy);
  const variable = tool === "jj" ? "HOX_JJ" : "HOX_GIT";
  const path = ground.outside(`bin/${tool}`);
  ground.put(
    `bin/${tool}`,
    `#!/bin/sh\nenv >> ${quoted(ground.outside("started"))}\nexec ${quoted(found.path)} "$@"\n`,
  );
  chmodSync(path, 0o755);
  const before = { [variable]: process.env[variable], ANTHROPIC_API_KEY: process.env.ANTHROPIC_API_KEY };
  process.env[variable] = path;
  process.env.ANTHROPIC_API_KEY = ground.canary;
  ground.put("started", "");
  ground.after(() => {
    for (const [name, was] of Object.entries(before))
      if (was === undefined) delete process.env[name];
      else process.env[name] = was;
  });
}

const keys: readonly Case[] = (["jj", "git"] as const).map((tool) => ({
  name: `the-key-in-the-environment-of-${tool}`,
  source: "F16",
  plant: (ground: Ground) => plantRecorder(ground, tool),
  attack: async (ground: Ground) => {
    if (tool === "jj") await plantRepository(ground);
    else {
      mkdirSync(ground.outside("git"));
      execFileSync("git", ["init", "-q"], { cwd: ground.outside("git") });
      await inspectFolder(ground.outside("git"));
    }
    ground.note = readFileSync(ground.outside("started"), "latin1");
    for (const path of ["started", "git"]) rmSync(ground.outside(path), { recursive: true, force: true });
    ground.settle();
  },
  judge: (ground: Ground) => {
    if (!ground.note.includes("PATH=")) return failed("the attack did not run");
    return ground.note.includes(ground.canary) ? failed(`${tool} was given the key`) : refused;
  },
}));

/** A program in place of the sandbox that holds nobody. */
const probes = (name: string, source: string, script: string | null): Case => ({
  name,
  source,
  attack: async (ground) => {
    let program = "/bin/true";
    if (script !== null) {
      ground.put("workspace/sandbox", script);
      chmodSync(ground.inside("sandbox"), 0o755);
      program = ground.inside("sandbox");
    }
    const sandbox = await createSandbox({ allowUnsandboxed: false, program });
    ground.note = `${sandbox.isolation.allowed}`;
    if (sandbox.isolation.allowed) return;
    try {
      const command = {
        command: "touch ran",
        workspace: ground.workspace,
        environment: {},
        timeoutMs: 5_000,
      };
      await sandbox.run({ ...command, signal: new AbortController().signal });
      ground.note = "ran";
    } catch (error) {
      ground.see(String(error));
    }
  },
  judge: (ground) => (ground.note === "false" ? refused : failed("it was taken for a sandbox")),
});

const passesOn = (before: string): string =>
  `#!/bin/sh\nif [ "$1" = --version ]; then echo bubblewrap 0.8.0; exit 0; fi\n${before}\nwhile [ $# -gt 0 ] && [ "$1" != -- ]; do last=$1; shift; done\n[ $# -gt 0 ] && shift && exec "$@"\nexec "$last"\n`;

export const host: Family = {
  name: "host",
  cases: [
    ...detections,
    ...lookings,
    ...traps,
    ...keys,
    probes("a-program-that-only-succeeds-as-the-sandbox", "notes of issue 7", null),
    probes("a-program-that-only-passes-on-as-the-sandbox", "own", passesOn("")),
    probes("a-sandbox-that-fails", "notes", "#!/bin/sh\nexit 1\n"),
    {
      name: "no-sandbox-at-all",
      source: "notes",
      attack: async (ground) => {
        const sandbox = await createSandbox({ allowUnsandboxed: false, program: null });
        const command = {
          command: "touch ran",
          workspace: ground.workspace,
          environment: {},
          timeoutMs: 5_000,
        };
        await sandbox.run({ ...command, signal: new AbortController().signal });
      },
      judge: (ground) => {
        if (existsSync(ground.inside("ran"))) return failed("the command ran");
        return ground.seen.includes("not run") ? refused : failed("it did not say why");
      },
    },
    {
      name: "a-request-to-leave-the-sandbox",
      source: "notes",
      attack: (ground) => {
        const words = [
          "sandbox",
          "dangerouslyDisableSandbox",
          "allowUnsandboxed",
          "allow_unsandboxed",
          "workspace",
          "environment",
          "protectedFiles",
          "network",
        ];
        const given = {
          command: "true",
          path: "a.txt",
          text: "x",
          content: "x",
          old_text: "a",
          new_text: "b",
          pattern: "x",
        };
        for (const tool of agentTools())
          for (const word of words) {
            const shape = Object.fromEntries(
              Object.entries(given).filter(
                ([name]) => tool.input.safeParse(given).error?.message.includes(name) !== true,
              ),
            );
            if (tool.input.safeParse({ ...shape, [word]: false }).success)
              ground.note += `${tool.name}.${word} `;
          }
      },
      judge: (ground) => (ground.note === "" ? refused : failed(`taken: ${ground.note.trim()}`)),
    },
    {
      name: "thousands-of-protected-files",
      source: "F19",
      attack: async (ground) => {
        const result = await ground.run(
          "for i in $(seq 40); do for j in $(seq 50); do mkdir -p d$i/$(printf %0120d $j); echo x > d$i/$(printf %0120d $j)/CLAUDE.md; done; done; echo tried",
        );
        ground.note = String(JSON.stringify(result.restored).length);
      },
      judge: (ground) => {
        if (!ground.seen.includes("tried")) return failed("the attack did not run");
        const characters = Number(ground.note);
        return characters > 40_000
          ? failed(`${characters} characters of names`)
          : bounded(`${characters} characters of names`);
      },
    },
    {
      name: "protected-files-with-long-names",
      source: "F19, own",
      attack: async (ground) => {
        const result = await ground.run(
          "n=$(printf %0200d 0); p=long; for i in $(seq 15); do p=$p/$n; done; for i in $(seq 30); do mkdir -p $p/$i; echo x > $p/$i/CLAUDE.md; done; echo tried",
        );
        ground.note = String(JSON.stringify(result.restored).length);
      },
      judge: (ground) => {
        if (!ground.seen.includes("tried")) return failed("the attack did not run");
        const characters = Number(ground.note);
        return characters > 40_000
          ? failed(`${characters} characters of names`)
          : bounded(`${characters} characters of names`);
      },
    },
    {
      name: "drafts-of-writes-that-were-killed",
      source: "F20",
      tries: { long: 20, short: 2 },
      plant: (ground) => plantRepository(ground),
      attack: async (ground) => {
        for (let again = 0; again < 3; again++) {
          const child = startChildHost({ kind: "write-for-ever", workspace: ground.workspace });
          for (
            const begun = performance.now();
            !existsSync(ground.inside("large.txt")) && performance.now() - begun < 10_000;
          )
            await wait(5);
          // Without letting go of the processor: a draft lives for a few milliseconds.
          const known = new Set(readdirSync(ground.workspace));
          for (const begun = performance.now(); performance.now() - begun < 500; )
            if (readdirSync(ground.workspace).some((name) => !known.has(name))) break;
          child.process.kill("SIGKILL");
          await child.ended;
        }
        await ground.run("true");
        const { paths } = await recorderOf(ground).changed();
        ground.note = paths.join(" ");
      },
      judge: (ground) => {
        if (!ground.note.includes("large.txt")) return failed("the attack did not run");
        const drafts = ground.note.split(" ").filter((path) => path !== "large.txt");
        return drafts.length > 0
          ? failed(`in the commit: ${drafts[0]?.replace(/[0-9a-f]{6,}/u, "…")}`)
          : refused;
      },
    },
    {
      name: "removing-a-workspace-full-of-traps",
      source: "own",
      plant: (ground) => plantRepository(ground),
      attack: async (ground) => {
        await ground.run(
          `ln -s ${ground.outside("opened")} link; ln -s ${ground.folder} up; mkdir -p shut/in; ln -s ${ground.outside("sibling")} shut/in/link; chmod 000 shut/in; chmod 555 shut; d="$(printf 'a\\351')"; mkdir "$d"; ln -s ../../opened "$d/link"; mkfifo pipe`,
        );
        const { repository } = recorderOf(ground);
        await ground.call(() => repository.removeWorkspace(recorderOf(ground).workspace, { actor: "hox" }));
      },
    },
    {
      name: "a-link-that-takes-a-folders-place-while-the-workspace-is-removed",
      source: "F1, own",
      tries: { ...race, short: 2 },
      plant: async (ground) => {
        await plantRepository(ground);
        ground.put("workspace/nest/source/one.ts", "1");
        symlinkSync(ground.outside("opened"), ground.inside("door"));
      },
      attack: async (ground) => {
        await ground.run(`setsid ${swapping(ground.marker, "nest", "door")} & ${untilSwapped} exit 0`);
        const { repository } = recorderOf(ground);
        await ground.call(() => repository.removeWorkspace(recorderOf(ground).workspace, { actor: "hox" }));
      },
    },
  ],
};
