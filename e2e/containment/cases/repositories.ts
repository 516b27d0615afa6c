import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { findTool } from "../../../src-main/config/tools.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import type { ReaderName } from "../readers.ts";
import { startChildHost } from "../start-child-host.ts";
import type { TestBed } from "../test-bed.ts";

const limitMs = 45_000;
const maxMemory = 900e6;
/** The time for which no one can stop an agent. */
const maxWaitMs = 5_000;

const fifo = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  execFileSync("mkfifo", [path]);
};
const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
};

/**
 * A separate host reads something of a folder from someone else. It has to answer or refuse, in time and with
 * little memory, and stay free for everything else meanwhile.
 */
const reads = (
  name: string,
  source: string,
  reader: ReaderName,
  plant: (testBed: TestBed) => void,
  more: Partial<Case> & { readonly honest?: string; readonly maxBytes?: number } = {},
): Case => ({
  name,
  source,
  tries: { long: 2, short: 1 },
  plant,
  attack: async (testBed) => {
    const child = startChildHost({ kind: "read", reader, workspace: testBed.workspace }, { limitMs });
    const { output, inTime, peak } = await child.ended;
    testBed.see(output);
    testBed.note = inTime ? String(peak) : "hung";
  },
  judge: (testBed) => {
    if (testBed.note === "hung") return failed(`the host still waited after ${limitMs / 1000} s`);
    if (Number(testBed.note) > (more.maxBytes ?? maxMemory))
      return failed(`the host took ${Math.round(Number(testBed.note) / 1e6)} MB`);
    const waited = /^WAITED (\d+)$/mu.exec(testBed.seen)?.[1];
    if (waited === undefined) return failed(`the host ended: ${testBed.seen.slice(-160)}`);
    if (Number(waited) > maxWaitMs) return failed(`the host did nothing else for ${waited} ms`);
    if (more.honest === undefined) return refused;
    return testBed.seen.includes(more.honest) ? refused : failed("an honest file was not read");
  },
  ...more,
});

/** That there is something to read at all. */
const honest: readonly Case[] = [
  reads(
    "honest-settings-are-read",
    "own",
    "settings",
    (testBed) => testBed.putInside(".hox/config.toml", "[loop_defaults]\nmax_iterations = 3\n"),
    { honest: '"maxIterations":3' },
  ),
  reads(
    "an-honest-template-is-read",
    "own",
    "templates",
    (testBed) => testBed.putInside(".hox/templates/one.md", "Write tests"),
    { honest: "Write tests" },
  ),
  reads(
    "an-honest-purpose-is-read",
    "own",
    "purpose",
    (testBed) => testBed.putInside("purpose.md", "Look at names"),
    { honest: "Look at names" },
  ),
  reads(
    "an-honest-branch-is-read",
    "own",
    "branch",
    (testBed) => testBed.putInside(".git/HEAD", "ref: refs/heads/honest\n"),
    { honest: "honest" },
  ),
  reads(
    "honest-checks-are-found",
    "own",
    "checks",
    (testBed) => testBed.putInside("package.json", '{ "scripts": { "test": "true" } }'),
    { honest: "npm" },
  ),
  reads(
    "an-honest-report-is-read",
    "own",
    "report of a check",
    (testBed) => testBed.putInside("output.txt", "FAILED test_a.py::test_one - x\n1 failed in 0.1s\n"),
    { honest: "test_one" },
  ),
];

/** Links, pipes and endless files where the host reads by path. */
const odd = (reader: ReaderName, path: string): readonly Case[] => {
  const short = path
    .replaceAll(/[^a-zA-Z]+/gu, "-")
    .replace(/^-/u, "")
    .toLowerCase();
  return [
    reads(`a-link-out-as-${short}`, "G5", reader, (testBed) =>
      link(testBed.outside("secret"), testBed.inside(path)),
    ),
    reads(`a-pipe-as-${short}`, "G5", reader, (testBed) => fifo(testBed.inside(path))),
    reads(`endless-zeros-as-${short}`, "G5", reader, (testBed) => link("/dev/zero", testBed.inside(path))),
    reads(`a-huge-file-as-${short}`, "G5, own", reader, (testBed) => {
      testBed.putInside(`${path}`, "x");
      truncateSync(testBed.inside(path), 20_000_000_000);
    }),
  ];
};

const folders: readonly Case[] = (
  [
    ["settings", ".hox", { "config.toml": "[models]\ndefault = " }],
    ["templates", ".hox/templates", { "one.md": "" }],
    ["agents", ".hox/agents", { "one.md": "---\nname: one\n---\n" }],
    ["written template", ".hox/templates", {}],
    ["written template", ".hox", {}],
  ] as const
).map(([reader, path, files]) =>
  reads(
    `a-folder-outside-as-${path.slice(1).replace("/", "-")}-for-${reader.replace(" ", "-")}`,
    "G5, own",
    reader,
    (testBed) => {
      for (const [name, text] of Object.entries(files))
        testBed.put(`sibling/${name}`, `${text}${testBed.canary}\n`);
      mkdirSync(testBed.outside("sibling/templates"), { recursive: true });
      link(testBed.outside("sibling"), testBed.inside(path));
    },
  ),
);

/** What Git and jj read themselves. Each read is a separate program with a time limit. */
const looks: readonly Case[] = [
  ".git/config",
  ".git/info/attributes",
  ".git/packed-refs",
  ".git/index",
  ".jj/repo",
  ".jj/repo/store/type",
  ".jj/repo/store/git_target",
  ".gitattributes",
].flatMap((path) =>
  (["pipe", "endless"] as const).map((kind) =>
    reads(
      `a-look-at-a-folder-with-a-${kind}-as-${path.replaceAll(/[^a-z]+/gu, "-").slice(1)}`,
      "G5, own",
      "look",
      (testBed) => {
        rmSync(testBed.inside(".jj"), { recursive: true });
        execFileSync("git", ["init", "-q", testBed.workspace]);
        if (kind === "pipe") fifo(testBed.inside(path));
        else link("/dev/zero", testBed.inside(path));
      },
      { impossible: () => (findTool("git").found ? null : "there is no git") },
    ),
  ),
);

const largeSettings = (name: string, plant: (testBed: TestBed, text: string) => void): Case =>
  reads(
    name,
    "own",
    "look",
    (testBed) => {
      rmSync(testBed.inside(".jj"), { recursive: true });
      execFileSync("git", ["init", "-q", testBed.workspace]);
      plant(testBed, `[a]\n${"b = xxxxxxxx\n".repeat(15_000_000)}`);
    },
    {
      tries: { long: 1, short: 1 },
      impossible: () => (findTool("git").found ? null : "there is no git"),
    },
  );

const large: readonly Case[] = [
  largeSettings("git-settings-of-200-megabytes", (testBed, text) => testBed.putInside(".git/config", text)),
  largeSettings("git-settings-that-include-200-megabytes", (testBed, text) => {
    testBed.putInside(".git/more", text);
    execFileSync("git", ["-C", testBed.workspace, "config", "include.path", "more"]);
  }),
];

const signs = (count: number, sign: string): string => sign.repeat(count);

/** Texts on which an expression or a parser needs square or cubic time, or a stack without end. */
const slow: readonly Case[] = (
  [
    [
      "settings",
      ".hox/config.toml",
      `x = "[${signs(12_000, "\t")}"\nmistake\n`,
      "tabs-in-settings-with-a-mistake",
    ],
    [
      "settings",
      ".hox/config.toml",
      `x = ${signs(100_000, "[")}${signs(100_000, "]")}\n`,
      "deep-lists-in-settings",
    ],
    ["settings", ".hox/config.toml", `${"a.".repeat(60_000)}b = 1\n`, "deep-keys-in-settings"],
    [
      "settings",
      ".hox/config.toml",
      Array.from({ length: 8_000 }, (_, at) => `[[hooks]]\nname = "h${at}"\n`).join(""),
      "thousands-of-hooks-with-a-mistake-each",
    ],
    ["checks", "Makefile", signs(1_900_000, "a "), "a-makefile-of-one-line"],
    ["checks", "Makefile", `${signs(450_000, "\t")}x:`, "a-makefile-of-tabs"],
    ["checks", "Gemfile", `gem ${signs(450_000, " ")}x`, "a-gemfile-of-spaces"],
    ["checks", "go.work", `use (${signs(450_000, " ")}`, "a-go-workspace-of-spaces"],
    ["checks", "setup.cfg", `[${signs(450_000, "\n ")}`, "a-setup-file-of-lines"],
    ["checks", "pyproject.toml", `x = ${signs(200_000, "[")}`, "deep-lists-in-a-python-project"],
    ["checks", "package.json", `{"scripts":${signs(200_000, "[")}`, "deep-lists-in-a-package"],
    [
      "checks",
      "pnpm-workspace.yaml",
      `packages:\n${"- *a\n- &a [*a, *a]\n".repeat(20_000)}`,
      "anchors-in-a-pnpm-workspace",
    ],
    [
      "checks",
      "pnpm-workspace.yaml",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
        { length: 12 },
        (_, at) =>
          `${String.fromCharCode(98 + at)}: &${String.fromCharCode(98 + at)} [${Array(9)
            .fill(`*${String.fromCharCode(97 + at)}`)
            .join(",")}]\n`,
      ).join("")}packages: *m\n`,
      "a-billion-laughs-in-a-pnpm-workspace",
    ],
    [
      "checks",
      "Cargo.toml",
      `[workspace]\nmembers = [${signs(200_000, '"a" ,\n ')}`,
      "members-without-end-in-a-cargo-workspace",
    ],
    ["report of a check", "output.txt", `${"(".repeat(299)}\n`.repeat(7_000), "a-report-of-brackets"],
    [
      "report of a check",
      "output.txt",
      `${"at a (b:1:1) ".repeat(23)}\n`.repeat(7_000),
      "a-report-of-places",
    ],
    ["report of a check", "output.txt", `FAILED ${"::a ".repeat(500_000)}`, "a-report-of-one-line"],
    [
      "notification",
      "notification.json",
      `{"hook_event_name":"Stop","session_id":"a","x":${signs(400_000, "[")}`,
      "a-notification-of-brackets",
    ],
  ] as const
).map(([reader, path, text, name]) =>
  reads(name, "G3, own", reader, (testBed) => testBed.putInside(`${path}`, text)),
);

/** A file of Claude Code that is filed for the folder. */
const transcript = (testBed: TestBed, text: string): void =>
  testBed.put(
    `workspace/claude/projects/${testBed.workspace.replaceAll(/[^A-Za-z0-9]/gu, "-")}/one.jsonl`,
    text,
  );
const userMessage = (testBed: TestBed, text: string): string =>
  `${JSON.stringify({ type: "user", cwd: testBed.workspace, timestamp: "2026-03-01T00:00:00Z", message: { role: "user", content: text } })}\n`;

const transcripts: readonly Case[] = [
  reads(
    "an-honest-transcript-is-read",
    "own",
    "transcripts",
    (testBed) => transcript(testBed, userMessage(testBed, "an honest question")),
    { honest: "an honest question" },
  ),
  reads("a-transcript-of-slashes", "G3", "transcripts", (testBed) =>
    transcript(testBed, userMessage(testBed, signs(900_000, "/"))),
  ),
  reads("a-transcript-of-open-tags", "own", "transcripts", (testBed) =>
    transcript(testBed, userMessage(testBed, "<command-name>".repeat(60_000))),
  ),
];

const recording = (name: string, source: string, bytes: () => Buffer, maxBytes = 4.5e9): Case =>
  reads(name, source, "recording", (testBed) => testBed.putInside("a.hoxrun", bytes()), {
    // Opening one waits: its thread may have 2 GB, and is ended then. The host itself continues.
    maxBytes,
    tries: { long: 1, short: 1 },
  });

const recordings: readonly Case[] = [
  recording("a-recording-of-line-ends", "G6", () => gzipSync(Buffer.alloc(140_000_000, "\n"))),
  recording("a-recording-of-empty-objects", "G6", () => gzipSync(Buffer.alloc(150_000_000, "{}\n"))),
  recording("a-recording-of-one-line", "own", () => gzipSync(Buffer.alloc(700_000_000, "x")), 1.1e9),
  recording("a-recording-of-brackets", "own", () => gzipSync(Buffer.alloc(5_000_000, "["))),
  recording("a-recording-that-unpacks-to-recordings", "own", () =>
    gzipSync(gzipSync(Buffer.alloc(100_000_000))),
  ),
  recording("a-recording-that-names-a-prototype", "own", () =>
    gzipSync(
      `{"format":"hox-recording","version":1,"writtenBy":"x","about":{"run":"__proto__","__proto__":{"a":1}}}\n{"__proto__":{"moment":1}}\n{"end":2}\n`,
    ),
  ),
];

/** What becomes a word of a command line or the name of a file. */
const ids: Case = {
  ...reads("ids-of-sessions-that-are-options", "G14", "notification", () => {}),
  attack: async (testBed) => {
    const { readers } = await import("../readers.ts");
    const bad = [
      "--dangerously-skip-permissions",
      "-p",
      "",
      ".",
      "..",
      "../../secret",
      "a/b",
      "a b",
      "a\nb",
      "a\0b",
      "ａ",
      `a${"b".repeat(300)}`,
      "‮abc",
    ];
    for (const id of ["0a1b-honest", ...bad])
      for (const fields of [
        { hook_event_name: "Stop", session_id: id },
        { type: "agent-turn-complete", "thread-id": id },
        { type: "agent-turn-complete", "turn-id": id },
      ]) {
        writeFileSync(testBed.inside("notification.json"), JSON.stringify(fields));
        if (readers.notification(testBed.workspace) !== null) testBed.note += `${JSON.stringify(id)} `;
      }
  },
  judge: (testBed) =>
    testBed.note === '"0a1b-honest" "0a1b-honest" "0a1b-honest" '
      ? refused
      : failed(`taken: ${testBed.note}`),
};

/** What others have written, where the host itself reads it: repositories, archives, other programs. */
export const repositories: Family = {
  name: "repositories",
  cases: [
    ...honest,
    ...odd("settings", ".hox/config.toml"),
    ...odd("templates", ".hox/templates/one.md"),
    ...odd("agents", ".hox/agents/one.md"),
    ...odd("purpose", "purpose.md"),
    ...odd("branch", ".git/HEAD"),
    ...odd("branch", ".git"),
    ...folders,
    ...looks,
    ...large,
    ...slow,
    ...transcripts,
    ids,
  ],
};

export const recordingFiles: Family = { name: "recordings", cases: recordings };
