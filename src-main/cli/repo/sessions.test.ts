import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryStateFolder } from "../../config/state-folder.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

const entry = fileURLToPath(new URL("../../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;
let root: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-notify-")));
  repository = await createTestRepository();
  root = await realpath(repository.repository.root);
});
afterAll(async () => {
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

async function hox(
  args: readonly string[],
  {
    input,
    cwd = root,
    env = {},
  }: { input?: string; cwd?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const own = {
    HOX_STATE: join(folder, "state"),
    CLAUDE_CONFIG_DIR: join(folder, "claude"),
    HOX_DEBUG: "1",
    ...env,
  };
  if (input === undefined) return hoxInProcess(args, { folder: cwd, env: own });
  const ended = await execa(process.execPath, [entry, ...args], {
    cwd,
    reject: false,
    input,
    env: { ...own, npm_lifecycle_event: "", NO_COLOR: "1" },
  });
  return { code: ended.exitCode, stdout: ended.stdout, stderr: ended.stderr };
}
const turn = (more: object = {}) =>
  JSON.stringify({
    type: "agent-turn-complete",
    "thread-id": "0199a213-81c0-7800",
    "turn-id": "1",
    cwd: root,
    "input-messages": ["Rename it"],
    "last-assistant-message": "Renamed.",
    ...more,
  });

test("hook reports are stored without a host and listed; their caller never gets an error", async () => {
  const state = repositoryStateFolder(join(folder, "state"), root);
  // Hox was never used here.
  expect(await hox(["notify", turn()])).toMatchObject({ code: exitCode.done, stdout: "" });
  expect((await hox(["sessions"])).stdout).toBe("No active sessions of other agents.");
  await mkdir(state, { recursive: true });

  expect(await hox(["notify", turn()])).toEqual({ code: exitCode.done, stdout: "", stderr: "" });
  const sub = join(root, "src", "deep");
  await mkdir(sub, { recursive: true });
  const todos = [
    { content: "Read", status: "completed", activeForm: "Reading" },
    { content: "Write", status: "in_progress", activeForm: "Writing" },
  ];
  const hook = { session_id: "5e55-1", cwd: sub, hook_event_name: "PostToolUse", tool_name: "TodoWrite" };
  expect(
    await hox(["notify", "--claude"], { input: JSON.stringify({ ...hook, tool_input: { todos } }) }),
  ).toEqual({
    code: exitCode.done,
    stdout: "",
    stderr: "",
  });
  for (const bad of ["{", '{"type":"other"}', turn({ cwd: folder }), turn({ cwd: "/nowhere/at/all" })])
    expect(await hox(["notify", bad])).toMatchObject({ code: exitCode.done, stdout: "" });
  expect(await hox(["notify"], { input: "" })).toMatchObject({ code: exitCode.done, stdout: "" });
  expect(await readdir(join(state, "sessions"))).toHaveLength(2);

  const { stdout } = await hox(["sessions"]);
  expect(stdout).toContain("codex-0199a213  Codex, just now");
  expect(stdout).toContain("  goal: Rename it");
  expect(stdout).toContain("claude-5e551  Claude Code, just now");
  expect(stdout).toContain("  todos: 1 of 2, Writing\n    [x] Read\n    [>] Write");
  const listed = (await hox(["sessions", "--json"])).stdout.split("\n").map((line) => JSON.parse(line));
  expect(listed.find(({ kind }) => kind === "claude")).toMatchObject({
    session: "claude-5e551",
    id: "5e55-1",
    expired: null,
    source: "hox notify",
    goal: "",
    plan: null,
    todos,
    branch: null,
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/u),
  });
});

test("a workspace belongs to its repository, and a repository with sessions switched off says so", async () => {
  const workspace = join(folder, "beside");
  await repository.terminal(["workspace", "add", workspace]);
  await mkdir(repositoryStateFolder(join(folder, "state"), root), { recursive: true });
  await hox(["notify", turn({ "thread-id": "in-a-workspace", cwd: workspace })], { cwd: workspace });
  expect((await hox(["sessions"])).stdout).toContain("codex-inawork");
  await mkdir(join(root, ".hox"), { recursive: true });
  await writeFile(join(root, ".hox", "config.toml"), "[sessions]\nenabled = false\n");
  const refused = await hox(["sessions"]);
  expect(refused.code).toBe(exitCode.error);
  expect(refused.stderr).toContain("[sessions]");
});

/** What a stand-in of Claude Code was called with. */
async function standInClaude(answer: string, code = 0) {
  const bin = await mkdtemp(join(folder, "bin-"));
  const log = join(bin, "called");
  await writeFile(
    join(bin, "claude"),
    `#!/bin/sh\npwd > "${log}"\nfor word in "$@"; do echo "$word" >> "${log}"; done\necho "stdin: $(cat)" >> "${log}"\ncat <<'END'\n${answer}\nEND\nexit ${code}\n`,
    { mode: 0o755 },
  );
  return {
    PATH: `${bin}:${process.env.PATH}`,
    called: async () => (await readFile(log, "utf8")).trim().split("\n"),
  };
}

test("a session is asked through its own program, in a fork; its files stay unchanged", {
  tags: ["long"],
}, async () => {
  await rm(join(root, ".hox", "config.toml"), { force: true });
  await mkdir(repositoryStateFolder(join(folder, "state"), root), { recursive: true });
  const id = "aa11bb22-0000-4000-8000-000000000001";
  const file = join(folder, "claude", "projects", root.replaceAll(/[^A-Za-z0-9]/gu, "-"), `${id}.jsonl`);
  await mkdir(dirname(file), { recursive: true });
  const line = {
    type: "user",
    cwd: root,
    sessionId: id,
    timestamp: new Date().toISOString(),
    message: { content: "Go" },
  };
  await writeFile(file, `${JSON.stringify(line)}\n`);
  const before = await stat(file);

  const { PATH, called } = await standInClaude(
    '{"type":"result","result":"Two steps are left.","total_cost_usd":0.0123}',
  );
  const asked = await hox(["ask", "claude-aa11", "--", "--what", "is", "left?"], { env: { PATH } });
  expect(asked).toMatchObject({ code: exitCode.done, stdout: "Two steps are left." });
  expect(asked.stderr).toContain("claude-aa11bb22 answered for $0.0123, billed to your own account.");
  expect(await called()).toEqual([
    root,
    ...["-p", `--resume=${id}`, "--fork-session", "--permission-mode", "plan", "--output-format", "json"],
    "stdin: --what is left?",
  ]);
  const after = await stat(file);
  expect([after.mtimeMs, after.size, after.ino]).toEqual([before.mtimeMs, before.size, before.ino]);
  const json = await hox(["ask", "claude-aa11bb22", "What?", "--json"], { env: { PATH } });
  expect(JSON.parse(json.stdout)).toEqual({
    kind: "answer",
    who: "claude-aa11bb22",
    text: "Two steps are left.",
    microDollars: 12_300,
  });

  const broken = await standInClaude("no such session", 1);
  const failed = await hox(["ask", id, "What?"], { env: { PATH: broken.PATH } });
  expect(failed.code).toBe(exitCode.error);
  expect(failed.stderr).toContain("no such session");
  expect(failed.stderr).toContain(`claude --resume ${id} --fork-session`);

  const without = await hox(["ask", id, "What?"], { env: { PATH: "/nowhere" } });
  expect(without).toMatchObject({ code: exitCode.error, stderr: expect.stringContaining("is not on PATH") });
  const unknown = await hox(["ask", "claude-ffff", "What?"], { env: { PATH } });
  expect(unknown).toMatchObject({
    code: exitCode.usage,
    stderr: expect.stringContaining("hox sessions --all"),
  });
  await hox(["notify", turn({ "thread-id": "c0dec0de-1" })]);
  const codex = await hox(["ask", "codex-c0dec0de", "What?"], { env: { PATH } });
  expect(codex).toMatchObject({
    code: exitCode.error,
    stderr: expect.stringContaining("codex resume c0dec0de-1"),
  });
});

test("asking a worker without a running host is refused with an explanation", {
  tags: ["long"],
}, async () => {
  const asked = await hox(["ask", "agent-2", "What is left?"]);
  expect(asked).toMatchObject({ code: exitCode.error, stderr: expect.stringContaining("hox run") });
  expect((await hox(["ask", "agent-2", " "])).code).toBe(exitCode.usage);
});
