import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryStateFolder } from "../config/state-folder.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { exitCode } from "./command-line.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
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

async function hox(args: readonly string[], { input, cwd = root }: { input?: string; cwd?: string } = {}) {
  const {
    exitCode: code,
    stdout,
    stderr,
  } = await execa(process.execPath, [entry, ...args], {
    cwd,
    reject: false,
    ...(input === undefined ? { stdin: "ignore" as const } : { input }),
    env: {
      HOX_STATE: join(folder, "state"),
      CLAUDE_CONFIG_DIR: join(folder, "claude"),
      HOX_DEBUG: "1",
      npm_lifecycle_event: "",
      NO_COLOR: "1",
    },
  });
  return { code, stdout, stderr };
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

test("what hooks tell is kept without a host, and is listed; whatever they tell, their caller hears of no error", async () => {
  const state = repositoryStateFolder(join(folder, "state"), root);
  // Hox was never used here.
  expect(await hox(["notify", turn()])).toMatchObject({ code: exitCode.done, stdout: "" });
  expect((await hox(["sessions"])).stdout).toBe("No session of another agent goes on here.");
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
}, 60_000);

test("a workspace of the repository is the repository's, and a repository that looks at no sessions says so", async () => {
  const beside = join(folder, "beside");
  await repository.terminal(["workspace", "add", beside]);
  await mkdir(repositoryStateFolder(join(folder, "state"), root), { recursive: true });
  await hox(["notify", turn({ "thread-id": "in-a-workspace", cwd: beside })], { cwd: beside });
  expect((await hox(["sessions"])).stdout).toContain("codex-inawork");
  await mkdir(join(root, ".hox"), { recursive: true });
  await writeFile(join(root, ".hox", "config.toml"), "[sessions]\nenabled = false\n");
  const refused = await hox(["sessions"]);
  expect(refused.code).toBe(exitCode.error);
  expect(refused.stderr).toContain("[sessions]");
}, 60_000);
