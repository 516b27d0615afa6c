import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { filesLeft, seenFiles } from "../agent/conversation.ts";
import { runCalls } from "../agent/tool-calls.ts";
import { tempDir } from "../testing/kit.ts";
import { agentTools } from "./agent-tools.ts";
import { createSandbox } from "./sandbox/sandbox.ts";
import type { ToolContext, ToolOutcome } from "./tool-interface.ts";
import { workspaceFiles } from "./workspace-files.ts";

let outside: string;
let workspace: string;
let context: ToolContext;

const put = (path: string, text: string | Uint8Array): void => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
};
beforeEach(async () => {
  outside = tempDir();
  workspace = join(outside, "workspace");
  mkdirSync(join(workspace, ".jj"), { recursive: true });
  writeFileSync(join(outside, "secret"), "canary");
  put(".gitignore", "build/\n*.log\n");
  put("src/.gitignore", "!kept.log\n");
  put("src/a.ts", "import b\nconst User = 1;\nexport user\nlast\n");
  put("src/deep/b.ts", "user\n");
  put("src/kept.log", "user\n");
  put("notes.log", "user\n");
  put("build/out.ts", "user\n");
  put("Cargo.lock", "locked");
  const sandbox = await createSandbox({ allowUnsandboxed: false, program: null });
  context = {
    agent: "agent-1",
    signal: new AbortController().signal,
    files: workspaceFiles({ workspace }),
    run: (command) => sandbox.run({ ...command, workspace }),
    seen: seenFiles([]),
    environment: {},
  };
});

async function call(tool: string, input: unknown): Promise<ToolOutcome> {
  const [result] = await runCalls([{ id: "1", name: tool, input }], agentTools(), context, () => {});
  if (!result) throw new Error("no result");
  return result.outcome;
}
const lines = async (tool: string, input: unknown): Promise<string[]> =>
  (await call(tool, input)).output.split("\n");

it("lists, finds and searches what is not ignored, and the rest on request", async () => {
  expect(await lines("list_files", {})).toEqual([
    ".gitignore",
    ".jj/",
    "Cargo.lock",
    "src/.gitignore",
    "src/a.ts",
    "src/deep/b.ts",
    "src/kept.log",
  ]);
  expect(await lines("list_files", { path: "src" })).toContain("src/kept.log");
  expect(await lines("list_files", { include_ignored: true })).toContain("build/out.ts");
  expect(await lines("glob", { pattern: "*.ts" })).toEqual(["src/a.ts", "src/deep/b.ts"]);
  expect(await lines("glob", { pattern: "deep/*.ts", path: "src" })).toEqual(["src/deep/b.ts"]);
  expect(await lines("glob", { pattern: "A.TS", ignore_case: true })).toEqual(["src/a.ts"]);
  expect(await lines("glob", { pattern: "*.rs" })).toEqual(["(no file)"]);
  expect(await call("glob", { pattern: "{a,b}".repeat(9) })).toMatchObject({
    ok: false,
    error: "invalid-input",
  });
  expect(await lines("search", { pattern: "user" })).toEqual([
    "src/a.ts:3:export user",
    "src/deep/b.ts:1:user",
    "src/kept.log:1:user",
  ]);
  expect(await lines("search", { pattern: "user", ignore_case: true, context: 1, files: "a.ts" })).toEqual([
    "src/a.ts-1-import b",
    "src/a.ts:2:const User = 1;",
    "src/a.ts-3-export user",
    "--",
    "src/a.ts-2-const User = 1;",
    "src/a.ts:3:export user",
    "src/a.ts-4-last",
  ]);
  expect(
    await lines("search", { pattern: "^USER$", regex: true, ignore_case: true, path: "src/deep" }),
  ).toEqual(["src/deep/b.ts:1:user"]);
});

it("answers with no more than a conversation can hold", async () => {
  put("wide.txt", Array.from({ length: 300 }, (_, at) => `user ${at} ${"w".repeat(280)}`).join("\n"));
  // What is too large to be searched beside others is named, and searched when it is asked for.
  put("large.txt", `${"x\n".repeat(600_000)}user\n`);
  expect((await lines("search", { pattern: "^user$", regex: true })).at(-1)).toBe(
    "(not searched, because they are large: large.txt; give one as path)",
  );
  expect(await lines("search", { pattern: "user", path: "large.txt" })).toEqual(["large.txt:600001:user"]);
  const found = (await call("search", { pattern: "user", path: "wide.txt", context: 10 })).output;
  expect(found.length).toBeLessThan(61_000);
  expect(found).toContain("the rest is left out");
});

it("moves and deletes files inside the workspace, and nothing that is protected, a folder, or in the way", async () => {
  await call("read_file", { path: "src/a.ts" });
  expect(await call("move_file", { from: "src/a.ts", to: "lib/new/a.ts" })).toMatchObject({ ok: true });
  expect(existsSync(join(workspace, "src/a.ts"))).toBe(false);
  // What was read is known under its new name.
  const edit = { path: "lib/new/a.ts", old_text: "last", new_text: "end" };
  expect(await call("edit_file", edit)).toMatchObject({ ok: true });
  expect(await call("delete_file", { path: "src/deep/b.ts" })).toMatchObject({ ok: true });
  expect(existsSync(join(workspace, "src/deep/b.ts"))).toBe(false);
  // A link goes, and what it leads to stays.
  symlinkSync(join(workspace, "lib/new/a.ts"), join(workspace, "link.ts"));
  for (const [tool, input, error] of [
    ["delete_file", { path: "Cargo.lock" }, "protected-file"],
    ["move_file", { from: "Cargo.lock", to: "x" }, "protected-file"],
    ["move_file", { from: "src/kept.log", to: ".git/hooks/x" }, "protected-file"],
    ["move_file", { from: "src/kept.log", to: "lib/new/a.ts" }, "not-allowed"],
    ["move_file", { from: "../secret", to: "x" }, "outside-workspace"],
    ["move_file", { from: "src/kept.log", to: "../x" }, "outside-workspace"],
    ["delete_file", { path: "../secret" }, "outside-workspace"],
    ["delete_file", { path: "src" }, "not-allowed"],
    ["delete_file", { path: "gone" }, "not-found"],
  ] as const)
    expect(await call(tool, input), `${tool} ${JSON.stringify(input)}`).toMatchObject({ ok: false, error });
  expect(readFileSync(join(outside, "secret"), "utf8")).toBe("canary");
  expect(readFileSync(join(workspace, "Cargo.lock"), "utf8")).toBe("locked");
  const history = [
    {
      role: "assistant" as const,
      content: [{ type: "tool_use" as const, id: "1", name: "read_file", input: { path: "a" } }],
    },
    {
      role: "user" as const,
      content: [
        {
          type: "tool_result" as const,
          tool_use_id: "1",
          content: '"a" hash 0123456789abcdef (x)',
          is_error: false,
        },
      ],
    },
    {
      role: "assistant" as const,
      content: [{ type: "tool_use" as const, id: "2", name: "delete_file", input: { path: "a" } }],
    },
    {
      role: "user" as const,
      content: [
        { type: "tool_result" as const, tool_use_id: "2", content: "a is deleted.", is_error: false },
      ],
    },
  ];
  expect(filesLeft(history.slice(0, 2), () => false).size).toBe(1);
  expect(filesLeft(history, () => false).size).toBe(0);
});

it("keeps a decision's lines from being moved or deleted", async () => {
  context = {
    ...context,
    files: workspaceFiles({
      workspace,
      overrides: async ({ before, after }) =>
        before?.includes("User") && !after.includes("User") ? "Decided." : null,
    }),
  };
  for (const [tool, input] of [
    ["delete_file", { path: "src/a.ts" }],
    ["move_file", { from: "src/a.ts", to: "b.ts" }],
  ] as const)
    expect(await call(tool, input)).toMatchObject({ ok: false, error: "overrides-decision" });
});

it("reads long files part by part, with whole characters, and shows pictures", async () => {
  put("long.txt", Array.from({ length: 5_000 }, (_, at) => `${at + 1} ${"😀".repeat(20)}`).join("\n"));
  const first = (await call("read_file", { path: "long.txt" })).output;
  const [, last] = /lines 1-(\d+) of 5000; continue with first_line (\d+)/.exec(first) ?? [];
  expect(first.split("\n").at(-1)).toBe(`${last} ${"😀".repeat(20)}`);
  const next = await call("read_file", { path: "long.txt", first_line: Number(last) + 1, lines: 2 });
  expect(next.output.split("\n")[1]).toBe(`${Number(last) + 1} ${"😀".repeat(20)}`);
  put("one-line.txt", `x${"😀".repeat(60_000)}`);
  const cut = (await call("read_file", { path: "one-line.txt" })).output;
  expect(cut).toContain("line 1 is cut after 60000 characters");
  expect(cut.isWellFormed()).toBe(true);
  // Larger than what may be edited, not than what may be read.
  put("large.txt", "line\n".repeat(600_000));
  expect(await call("read_file", { path: "large.txt", first_line: 599_999, lines: 1 })).toMatchObject({
    ok: true,
  });
  const edit = { path: "large.txt", old_text: "line", new_text: "x" };
  expect(await call("edit_file", edit)).toMatchObject({ ok: false });

  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  put("dot.png", png);
  expect(await call("read_file", { path: "dot.png" })).toMatchObject({
    ok: true,
    output: `dot.png: image/png, ${png.length} bytes`,
    images: [{ mediaType: "image/png", data: png.toString("base64") }],
  });
  put("lies.png", "no picture");
  expect(await call("read_file", { path: "lies.png" })).toMatchObject({ ok: true, output: /no picture/ });
  put("huge.png", Buffer.concat([png, Buffer.alloc(4_000_000)]));
  expect(await call("read_file", { path: "huge.png" })).toMatchObject({ ok: false, error: "too-large" });
});
