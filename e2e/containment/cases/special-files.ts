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
import { startChildHost } from "../start-child-host.ts";
import type { TestBed } from "../test-bed.ts";
import { slack } from "../waiting.ts";

const limitMs = 20_000 * slack;
const muchMemory = 700e6;

/** Lets a separate host look for the checks of a folder that an agent has prepared. */
const detects = (
  name: string,
  source: string,
  prepare: (testBed: TestBed, path: string) => void,
  file = "package.json",
): Case => ({
  name,
  source,
  tries: { long: 2, short: file === "package.json" ? 1 : 0 },
  plant: (testBed) => {
    rmSync(testBed.inside("package.json"));
    prepare(testBed, testBed.inside(file));
  },
  attack: async (testBed) => {
    const child = startChildHost({ kind: "checks", workspace: testBed.workspace }, { limitMs });
    const { output, inTime, peak } = await child.ended;
    testBed.see(output);
    testBed.note = inTime ? String(peak) : "hung";
  },
  judge: (testBed) => {
    if (testBed.note === "hung") return failed(`the host still waited after ${limitMs / 1000} s`);
    if (Number(testBed.note) > muchMemory)
      return failed(`the host took ${Math.round(Number(testBed.note) / 1e6)} MB`);
    if (testBed.seen.includes("type-check")) return failed("a file outside was read");
    return /^\[/mu.test(testBed.seen) ? refused : failed(`it broke: ${testBed.seen.slice(0, 120)}`);
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
  detects("a-link-outside-as-package-json", "F10", (testBed, path) => {
    testBed.put("opened/package.json", '{ "scripts": { "type-check": "true" } }');
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
const looks = (name: string, source: string, plant: (testBed: TestBed) => void, longest = limitMs): Case => ({
  name,
  source,
  tries: { long: 3, short: longest === limitMs ? 1 : 0 },
  plant,
  attack: async (testBed) => {
    const begun = performance.now();
    const before = process.memoryUsage().rss;
    await Promise.race([
      (async () => {
        await testBed.call((files) => files.readText("odd"));
        await testBed.call((files) => files.writeText("odd", "x"));
        await testBed.call((files) => files.list(".", { recursive: true, limit: 100 }));
        await testBed.call((files) => files.search("canary", { path: ".", regex: false, limit: 10 }));
        await testBed.call((files) => files.search("x+", { path: "odd", regex: true, limit: 10 }));
        await testBed.call((files) => files.list("odd", { recursive: true, limit: 100 }));
      })(),
      wait(longest),
    ]);
    testBed.note = `${performance.now() - begun} ${process.memoryUsage().rss - before}`;
    release(testBed.inside("odd"));
  },
  judge: (testBed) => {
    const [ms = 0, bytes = 0] = testBed.note.split(" ").map(Number);
    if (ms >= longest - 500) return failed(`a file tool still waited after ${longest / 1000} s`);
    return bytes > 500e6 ? failed(`the host took ${Math.round(bytes / 1e6)} MB`) : refused;
  },
});

/** Releases a reader that waits for a writer of a pipe, or this process could never end. */
function release(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Nobody waits.
  }
}

const lookings: readonly Case[] = [
  looks("tools-and-a-pipe", "F4", (testBed) => void execFileSync("mkfifo", [testBed.inside("odd")])),
  looks("tools-and-endless-zeros", "F10", (testBed) => symlinkSync("/dev/zero", testBed.inside("odd"))),
  looks("tools-and-the-terminal", "own", (testBed) => symlinkSync("/dev/tty", testBed.inside("odd"))),
  looks("tools-and-a-huge-file", "F10", (testBed) => {
    writeFileSync(testBed.inside("odd"), "");
    truncateSync(testBed.inside("odd"), 900_000_000_000);
  }),
  looks("tools-and-a-pipe-below-a-link", "own", (testBed) => {
    execFileSync("mkfifo", [testBed.inside("source/pipe")]);
    symlinkSync("source/pipe", testBed.inside("odd"));
  }),
  looks(
    "tools-and-eight-thousand-files",
    "own",
    (testBed) => {
      mkdirSync(testBed.inside("odd"));
      execFileSync("/bin/sh", ["-c", "seq 8000 | xargs touch"], { cwd: testBed.inside("odd") });
    },
    60_000,
  ),
  looks("tools-and-a-deep-folder", "own", (testBed) => {
    execFileSync(
      "/bin/bash",
      [
        "-c",
        `mkdir odd; cd odd; for i in $(seq 60); do n=$(printf %0100d $i); mkdir $n; cd $n; done; echo x > leaf`,
      ],
      { cwd: testBed.workspace },
    );
  }),
  looks("tools-and-names-that-are-no-text", "own", (testBed) => {
    execFileSync(
      "/bin/sh",
      [
        "-c",
        `mkdir odd; cd odd; d="$(printf 'a\\351')"; mkdir "$d"; echo x > "$d/leaf"; echo x > "$(printf 'b\\377')"`,
      ],
      { cwd: testBed.workspace },
    );
  }),
  looks("tools-and-an-expression-that-explodes", "own", (testBed) =>
    writeFileSync(testBed.inside("odd"), `${"x".repeat(60_000)}!`),
  ),
];

/** Pipes, endless files and odd names where the host reads what an agent has prepared. */
export const specialFiles: Family = { name: "special files", cases: [...detections, ...lookings] };
