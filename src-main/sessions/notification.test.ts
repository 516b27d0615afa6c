import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { isSessionId } from "./claude-sessions.ts";
import { reportedSessions, reportedSessionsFolder, saveReported } from "./find-sessions.ts";
import { readNotification } from "./notification.ts";

let state: string;
beforeEach(() => {
  state = tempDir();
});
afterEach(async () => {
  vi.unstubAllEnvs();
});

const codex = (more: object = {}) =>
  JSON.stringify({
    type: "agent-turn-complete",
    "thread-id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
    "turn-id": "7",
    cwd: "/repo",
    client: "codex-tui",
    "input-messages": ["Rename it", "in all files"],
    "last-assistant-message": "Renamed.",
    ...more,
  });
const hook = (name: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s-1",
    transcript_path: "/t.jsonl",
    cwd: "/repo",
    hook_event_name: name,
    ...more,
  });
const read = (text: string, at = 5) => readNotification(text, at, "/standing");

test.each(["--dangerously-skip-permissions", "-p", "", ".", "../x", "a/b", "a b", "_x", "a".repeat(300)])(
  "a session with the id %j is ignored",
  (id) => {
    expect(read(hook("Stop", { session_id: id }))).toBeNull();
    expect(read(codex({ "thread-id": id, "turn-id": id }))).toBeNull();
    expect(isSessionId(id)).toBe(false);
  },
);

test("Codex reports the end of a turn; older versions report less", () => {
  expect(read(codex())).toMatchObject({
    kind: "codex",
    id: "0199a213-81c0-7800-8aa1-bbab2a035a53",
    folder: "/repo",
    lastActivityAt: 5,
    asked: "in all files",
    turn: { value: { id: "7", lastMessage: "Renamed." }, at: 5 },
  });
  expect(read(JSON.stringify({ type: "agent-turn-complete", "turn-id": "9" }))).toMatchObject({
    id: "9",
    folder: "/standing",
    asked: "",
    turn: { value: { lastMessage: "" } },
  });
  expect(read(codex({ "last-assistant-message": null, "input-messages": "?" }))).toMatchObject({ asked: "" });
});

test("Claude Code reports turns, plans, lists and ends with its hooks", () => {
  vi.stubEnv("CLAUDE_CONFIG_DIR", "/home/u/.claude");
  expect(read(hook("Stop"))).toMatchObject({ kind: "claude", id: "s-1", turn: { at: 5 }, endedAt: null });
  expect(read(hook("SessionEnd", { reason: "other" }))).toMatchObject({ endedAt: 5, turn: null });
  expect(read(hook("UserPromptSubmit", { prompt: "Go" }))).toMatchObject({ asked: "Go" });
  const todos = [{ content: "Read", status: "pending", activeForm: "Reading" }];
  expect(read(hook("PostToolUse", { tool_name: "TodoWrite", tool_input: { todos } }))?.todos).toEqual({
    value: todos,
    at: 5,
  });
  const write = (file_path: string) =>
    read(hook("PostToolUse", { tool_name: "Write", tool_input: { file_path, content: "# P" } }))?.plan;
  expect(write("/home/u/.claude/plans/p.md")).toEqual({
    source: "/home/u/.claude/plans/p.md",
    text: "# P",
    since: 5,
  });
  expect(write("/repo/docs/plans/p.md")).toBe(null);
  expect(read(hook("PreCompact"))).toMatchObject({ lastActivityAt: 5, plan: null, todos: null, turn: null });
});

test("other payloads are ignored", () => {
  for (const text of [
    "",
    "hello",
    "[]",
    "null",
    "{}",
    JSON.stringify({ type: "approval-requested" }),
    codex({ "thread-id": "../../etc/passwd" }),
    codex({ "thread-id": "x".repeat(300) }),
    hook("Stop", { session_id: null }),
    codex({ more: "x".repeat(2 * 1024 * 1024) }),
  ])
    expect(read(text)).toBe(null);
});

test("reports are merged into one file for each session, and the oldest are removed", async () => {
  const keep = async (text: string, at: number) => {
    const session = read(text, at);
    if (session === null) throw new Error("nothing told");
    await saveReported(state, session);
  };
  vi.stubEnv("CLAUDE_CONFIG_DIR", "/c");
  const plan = (content: string) =>
    hook("PostToolUse", { tool_name: "Write", tool_input: { file_path: "/c/plans/p.md", content } });
  await keep(plan("# One"), 1);
  await keep(plan("# Two"), 2);
  await keep(hook("Stop"), 3);
  await keep(codex(), 4);
  expect(await readdir(reportedSessionsFolder(state))).toHaveLength(2);
  const claude = (await reportedSessions(state)).find(({ kind }) => kind === "claude");
  expect(claude).toMatchObject({
    plan: { text: "# Two", since: 1 },
    turn: { value: { id: "3" } },
    lastActivityAt: 3,
  });
  await writeFile(join(reportedSessionsFolder(state), "claude-broken.json"), "{half");
  await writeFile(join(reportedSessionsFolder(state), "claude-other.json"), '{"kind":"claude"}');
  expect(await reportedSessions(state)).toHaveLength(2);
  for (let nth = 0; nth < 105; nth++) await keep(codex({ "thread-id": `t-${nth}` }), 10 + nth);
  expect(await readdir(reportedSessionsFolder(state))).toHaveLength(100);
});
