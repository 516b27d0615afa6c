import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { seenFiles } from "../agent/conversation.ts";
import { runCalls } from "../agent/tool-calls.ts";
import { tempDir } from "../testing/kit.ts";
import { agentTools } from "./agent-tools.ts";
import { protection } from "./protected-files.ts";
import { createSandbox } from "./sandbox/sandbox.ts";
import type { ToolContext, ToolOutcome } from "./tool-interface.ts";
import { workspaceFiles } from "./workspace-files.ts";

let outside: string;
let workspace: string;
let context: ToolContext;
const secret = "canary-4711-do-not-read";

beforeEach(async () => {
  outside = tempDir();
  workspace = join(outside, "workspace");
  for (const folder of [".jj", "src", ".github/workflows"])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(outside, "secret"), secret);
  writeFileSync(join(workspace, ".jj", "repo"), "/the/repository");
  writeFileSync(join(workspace, ".env"), "KEY=value");
  writeFileSync(join(workspace, "Cargo.lock"), "locked");
  writeFileSync(join(workspace, "src", "a.txt"), "one\ntwo\ntwo\n");
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
const read = (path: string): Promise<ToolOutcome> => call("read_file", { path });
const write = (path: string): Promise<ToolOutcome> => call("write_file", { path, content: "planted" });

describe("a decision's lines", () => {
  beforeEach(() => {
    const files = workspaceFiles({
      workspace,
      overrides: async ({ path, before, after }) =>
        path === "src/a.txt" && before?.includes("one") && !after.includes("one")
          ? `${path} must keep "one".`
          : null,
    });
    context = { ...context, files };
  });

  it("are kept by writing and editing, through a link as well, and the model gets the reason", async () => {
    symlinkSync("a.txt", join(workspace, "src", "b.txt"));
    await read("src/a.txt");
    const refused = { ok: false, error: "overrides-decision", output: 'src/a.txt must keep "one".' };
    expect(await write("src/a.txt")).toEqual(refused);
    expect(await write("src/b.txt")).toEqual(refused);
    expect(await call("edit_file", { path: "src/a.txt", old_text: "one\n", new_text: "" })).toEqual(refused);
    expect(readFileSync(join(workspace, "src", "a.txt"), "utf8")).toBe("one\ntwo\ntwo\n");
    const allowed = await call("edit_file", { path: "src/a.txt", old_text: "one\n", new_text: "two, one\n" });
    expect(allowed).toMatchObject({ ok: true });
  });
});

describe("paths as commands print them", () => {
  it("mean the workspace, and nothing outside", async () => {
    const files = workspaceFiles({ workspace, repository: "/home/me/project" });
    context = { ...context, files };
    expect(await read("/home/me/project/src/a.txt")).toMatchObject({ ok: true });
    expect(await write("/home/me/project/.env")).toMatchObject({ ok: false, error: "protected-file" });
    for (const path of [
      "/home/me/project/../secret",
      "/home/me/project-2/a",
      "/home/me",
      "/home/me/project/../../x",
    ])
      expect(await read(path)).toMatchObject({ ok: false, error: "outside-workspace" });
  });
});

describe("file tools", () => {
  it("edits a text that occurs once, and otherwise reports how often it occurs", async () => {
    const edit = (old_text: string): Promise<ToolOutcome> =>
      call("edit_file", { path: "src/a.txt", old_text, new_text: "three" });
    expect(await edit("one")).toMatchObject({ ok: false, error: "changed-since-read" });
    await read("src/a.txt");
    expect(await edit("two")).toMatchObject({
      ok: false,
      error: "not-unique",
      output: expect.stringContaining("2 times"),
    });
    expect(await edit("absent")).toMatchObject({
      ok: false,
      error: "not-unique",
      output: expect.stringContaining("0 times"),
    });
    expect(await edit("one")).toMatchObject({ ok: true });
    expect(await edit("three")).toMatchObject({ ok: false, error: "invalid-input" });
    expect(readFileSync(join(workspace, "src/a.txt"), "utf8")).toBe("three\ntwo\ntwo\n");
  });

  it("replaces a place in conflict by its first line, unread, and knows nothing of the rest afterwards", async () => {
    const first = "<<<<<<< conflict 1 of 1\n";
    const place = `${first}+++++++ one\none\n+++++++ two\n>>>>>>> conflict 1 of 1 ends\n`;
    const file = join(workspace, "src/a.txt");
    const edit = (old_text: string, new_text = "both\nof them\n"): Promise<ToolOutcome> =>
      call("edit_file", { path: "src/a.txt", old_text, new_text });
    await read("src/a.txt");
    writeFileSync(file, `top\n${place}end\n`);
    expect(await edit("top\n")).toMatchObject({ ok: false, error: "changed-since-read" });
    expect(await edit("<<<<<<< conflict 2 of 2")).toMatchObject({ ok: false, error: "changed-since-read" });
    expect(await edit(first)).toEqual({ ok: true, output: "src/a.txt is edited at line 2." });
    expect(readFileSync(file, "utf8")).toBe("top\nboth\nof them\nend\n");
    expect(await edit("end\n")).toMatchObject({ ok: false, error: "changed-since-read" });

    for (const [new_text, after] of [
      ["both", "top\nboth\nend\n"],
      ["", "top\nend\n"],
    ] as const) {
      writeFileSync(file, `top\n${place}end\n`);
      expect(await edit(first.trimEnd(), new_text)).toMatchObject({ ok: true });
      expect(readFileSync(file, "utf8")).toBe(after);
    }
  });

  it("refuses to overwrite what it has not read, or what changed since", async () => {
    expect(await write("src/a.txt")).toMatchObject({ ok: false, error: "changed-since-read" });
    expect(await call("write_file", { path: "src/a.txt", content: "one\ntwo\ntwo\n" })).toMatchObject({
      ok: true,
    });
    context = { ...context, seen: seenFiles([]) };
    await read("./src/../src/a.txt");
    writeFileSync(join(workspace, "src/a.txt"), "somebody else");
    expect(await write("src/a.txt")).toMatchObject({ ok: false, error: "changed-since-read" });
    await read("src/a.txt");
    expect(await write("src/a.txt")).toMatchObject({ ok: true });
    expect(await write("new/deep/b.txt")).toMatchObject({
      ok: true,
      output: expect.stringContaining("created"),
    });
    expect(await write("new/deep/b.txt")).toMatchObject({ ok: true });
    rmSync(join(workspace, "new"), { recursive: true });
    expect(await call("write_file", { path: "new/deep/b.txt", content: "again" })).toMatchObject({
      ok: false,
      error: "changed-since-read",
    });
    expect(await read("new/deep/b.txt")).toMatchObject({ ok: false, error: "not-found" });
    expect(await call("write_file", { path: "new/deep/b.txt", content: "again" })).toMatchObject({
      ok: true,
    });
  });

  it("lists and searches, and stops an endless expression", async () => {
    writeFileSync(join(workspace, "src", "slow.txt"), `${"a".repeat(40)}!`);
    symlinkSync(join(outside, "secret"), join(workspace, "src", "link"));
    expect((await call("list_files", {})).output.split("\n")).toEqual(
      expect.arrayContaining(["src/a.txt", "src/link", ".jj/"]),
    );
    expect((await call("search", { pattern: "two" })).output).toBe("src/a.txt:2:two\nsrc/a.txt:3:two");
    expect((await call("search", { pattern: "^t.o$", regex: true })).output).toContain("src/a.txt:3");
    expect((await call("search", { pattern: "canary" })).output).toBe("(no match)");
    expect(await call("search", { pattern: "(a+)+$", regex: true })).toMatchObject({
      ok: false,
      error: "timed-out",
    });
    expect(await call("search", { pattern: "(", regex: true })).toMatchObject({
      ok: false,
      error: "invalid-input",
    });
  });

  it("is not blocked by slow expressions on many files, nor by an endless path", async () => {
    // Some 40 ms for each file: none is too slow by itself.
    for (let index = 0; index < 400; index++)
      writeFileSync(join(workspace, "src", `slow-${index}.txt`), `${"a".repeat(20)}!\n`.repeat(4));
    // Of the processor, which a busy machine gives late and not more of.
    const begun = process.cpuUsage();
    const usedSince = (start: NodeJS.CpuUsage): number => {
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 10);
    expect(await call("search", { pattern: "^(?:a+)+$", regex: true })).toMatchObject({ error: "timed-out" });
    clearInterval(turning);
    expect(usedSince(begun)).toBeLessThan(12_000);
    // On the host's own thread each file would hold up all the others.
    expect(turns).toBeGreaterThan(20);
    const path = `missing/${" ".repeat(150_000)}x`;
    const written = process.cpuUsage();
    expect(await call("write_file", { path, content: "x" })).toMatchObject({ error: "invalid-input" });
    expect(usedSince(written)).toBeLessThan(8_000);
  });

  it("reports what is not text, without blocking on a pipe", async () => {
    writeFileSync(join(workspace, "image"), Buffer.from([1, 0, 2]));
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    for (const path of ["image", "pipe", "src"]) {
      expect(await read(path)).toMatchObject({ ok: false, error: "not-text" });
    }
    writeFileSync(join(workspace, "large"), Buffer.alloc(21_000_000, "x"));
    expect(await read("large")).toMatchObject({ ok: false, error: "too-large" });
    expect(await call("write_file", { path: "big", content: "x".repeat(3_000_000) })).toMatchObject({
      ok: false,
      error: "too-large",
    });
    expect(existsSync(join(workspace, "big"))).toBe(false);
    expect(await read("nothing")).toMatchObject({ ok: false, error: "not-found" });
  });

  it("gives each call of a turn its own error", async () => {
    const results = await runCalls(
      [
        { id: "1", name: "no_such_tool", input: {} },
        { id: "2", name: "read_file", input: { path: 5 } },
        { id: "3", name: "read_file", input: { path: "src/a.txt" } },
        { id: "4", name: "run_command", input: { command: "true" } },
      ],
      agentTools(),
      context,
      () => {},
    );
    expect(results.map(({ outcome }) => (outcome.ok ? "ok" : outcome.error))).toEqual([
      "unknown-tool",
      "invalid-input",
      "ok",
      "sandbox-missing",
    ]);
  });
});

describe("the boundary of a workspace", () => {
  it.each([
    "../secret",
    "src/../../secret",
    "/etc/passwd",
    "/proc/self/environ",
    "~/../../secret\0",
    "../workspace2/x",
  ])("refuses %j, read and write", async (path) => {
    expect(await read(path)).toMatchObject({ ok: false });
    expect(await write(path)).toMatchObject({ ok: false, error: "outside-workspace" });
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(secret);
  });

  it("refuses links that lead outside: leaf, middle, parent of a missing leaf, chain, loop", async () => {
    symlinkSync(join(outside, "secret"), join(workspace, "leaf"));
    symlinkSync(outside, join(workspace, "middle"));
    symlinkSync("leaf", join(workspace, "chain"));
    symlinkSync("loop", join(workspace, "loop"));
    symlinkSync("../secret", join(workspace, "dots"));
    for (const path of ["leaf", "middle/secret", "middle/new.txt", "chain", "loop", "dots"]) {
      expect(await read(path)).toMatchObject({ ok: false, error: "outside-workspace" });
      expect(await write(path)).toMatchObject({ ok: false, error: "outside-workspace" });
    }
    expect(existsSync(join(outside, "new.txt"))).toBe(false);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(secret);
  });

  it("follows links that stay inside, and treats both names as one file", async () => {
    symlinkSync("src", join(workspace, "alias"));
    await read("alias/a.txt");
    expect(await write("src/a.txt")).toMatchObject({ ok: true });
    symlinkSync(".env", join(workspace, "innocent"));
    expect(await write("innocent")).toMatchObject({ ok: false, error: "protected-file" });
  });

  it("deletes and moves a link itself, not its target", async () => {
    symlinkSync("a.txt", join(workspace, "src", "link"));
    symlinkSync(join(outside, "secret"), join(workspace, "out"));
    symlinkSync(".env", join(workspace, "innocent"));
    const files = workspaceFiles({ workspace });
    expect(await files.remove("src/link")).toEqual({ path: "src/link" });
    expect(await files.move("out", "src/moved")).toEqual({ from: "out", to: "src/moved" });
    expect(await files.remove("src/moved")).toEqual({ path: "src/moved" });
    expect(await files.remove("innocent")).toEqual({ path: "innocent" });
    symlinkSync("nowhere", join(workspace, "dangling"));
    await expect(files.move("src/a.txt", "dangling")).rejects.toThrow("dangling exists");
    for (const path of [join(workspace, "src", "a.txt"), join(workspace, ".env"), join(outside, "secret")])
      expect(existsSync(path)).toBe(true);
    expect(existsSync(join(workspace, "nowhere"))).toBe(false);
  });

  it("leaves the other name of a hard link unchanged", async () => {
    linkSync(join(outside, "secret"), join(workspace, "hard"));
    await read("hard");
    await write("hard");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(secret);
  });
});

describe("protected files", () => {
  it.each([
    ".env",
    "./.env",
    "src/../.env",
    ".ENV",
    ".env.",
    ".env ",
    ".env::$DATA",
    ".e\u200bnv",
    "\uff0eenv",
    "src/.env",
    ".git",
    ".git/hooks/pre-commit",
    "./.git",
    "a/../.git/config",
    ".jj/repo",
    ".jj/working_copy/x",
    ".hox/config.toml",
    "cargo.LOCK",
    "packages/x/package-lock.json",
    ".github/workflows/ci.yml",
    "AGENTS.md",
    "src/CLAUDE.md",
    ".mcp.json",
    ".husky/pre-commit",
    ".npmrc",
    ".envrc",
    ".gitignore",
    ".env.local",
    "app/.env.production",
    "uv.lock",
    "go.sum",
    "sub/.cargo/config.toml",
    ".codex/hooks.json",
    "JenkinsFile",
  ])("refuses to write %j", async (path) => {
    expect(await write(path)).toMatchObject({ ok: false, error: "protected-file" });
    expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("KEY=value");
    expect(existsSync(join(workspace, "packages"))).toBe(false);
  });

  it("does not refuse names that only look alike", async () => {
    for (const path of [".environment", "src/env", "git/x", "my.git.txt", ".env.example", "agents.txt"]) {
      expect(await write(path)).toMatchObject({ ok: true });
    }
  });

  it("takes paths and wildcards from the configuration, and never allows .jj and .git", () => {
    const guard = protection(["secrets/*.pem", "docs/api"]);
    expect(guard.covers("secrets/a.pem")).toBe("secrets/*.pem");
    expect(guard.covers("x/secrets/a.pem")).toBeNull();
    expect(guard.covers("docs/api/deep/x.md")).toBe("docs/api");
    expect(protection(["!.jj", "!AGENTS.md"]).covers("x/.JJ/y")).toBe(".jj");
    expect(protection(["!AGENTS.md"]).covers("AGENTS.md")).toBeNull();
    expect(protection([]).covers("AGENTS.md")).toBe("AGENTS.md");
    const open = protection([".env.*", "!.env.local"]);
    expect([open.covers(".env.local"), open.covers("x/.ENV.LOCAL"), open.covers(".env.prod")]).toEqual([
      ...[null, null],
      ".env.*",
    ]);
  });
});
