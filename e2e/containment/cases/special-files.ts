import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import type { Ground } from "../ground.ts";
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
  tries: { long: 3, short: longest === limitMs ? 1 : 0 },
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

/** Pipes, endless files and odd names where the host reads what an agent has prepared. */
export const specialFiles: Family = { name: "special files", cases: [...detections, ...lookings] };
