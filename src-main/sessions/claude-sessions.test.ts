import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { claudeFolder, claudeSessions } from "./claude-sessions.ts";
import { changedSince, findSessions, gitBranchOf } from "./find-sessions.ts";

let base: string;
let home: string;
let root: string;
beforeEach(async () => {
  base = tempDir();
  home = join(base, "claude");
  root = join(base, "work", "my.repo");
  await mkdir(root, { recursive: true });
});

const filed = (folder: string) => folder.replaceAll(/[^A-Za-z0-9]/gu, "-");
const id = "0f1e2d3c-0000-4000-8000-000000000001";
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString();
const ms = (minute: number) => Date.parse(at(minute));

interface LineOptions {
  readonly minute: number;
  readonly cwd?: string;
  readonly more?: object;
}
const line = (type: string, message: unknown, { minute, cwd = root, more = {} }: LineOptions) =>
  JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd,
    sessionId: id,
    version: "2.1.330",
    gitBranch: "feature/names",
    type,
    message,
    uuid: `uuid-${minute}`,
    timestamp: at(minute),
    ...more,
  });
const says = (text: string, options: LineOptions) => line("user", { role: "user", content: text }, options);
const calls = (name: string, input: object, options: LineOptions) =>
  line(
    "assistant",
    { role: "assistant", content: [{ type: "tool_use", id: "t", name, input }], stop_reason: "tool_use" },
    options,
  );
const answers = (text: string, options: LineOptions) =>
  line(
    "assistant",
    { role: "assistant", content: [{ type: "text", text }], stop_reason: "end_turn" },
    options,
  );

async function put(path: string, text: string, changed?: number) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  if (changed !== undefined) await utimes(path, changed / 1_000, changed / 1_000);
}
const transcript = (lines: readonly string[], { folder = root, name = id } = {}) =>
  put(join(home, "projects", filed(folder), `${name}.jsonl`), `${lines.join("\n")}\n`);
const read = (folders: readonly string[] = [root]) => claudeSessions(folders, 0, home);

/** Everything of a folder: names, bytes, times. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const { mtimeNs, mode, size, isFile } = Object.assign(lstatSync(path, { bigint: true }), {});
      const content = lstatSync(path).isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : "";
      return `${name} ${mtimeNs} ${mode} ${size} ${typeof isFile} ${content}`;
    });
}

test("a session has a plan, a list, and a turn that ended", async () => {
  const plan = join(home, "plans", "wondrous-splashing-planet.md");
  await put(plan, "# Users have names\n\n1. Store them\n");
  // Newer, and somebody else's.
  await put(join(home, "plans", "other-plan.md"), "# Something else\n", Date.now() + 60_000);
  await transcript([
    JSON.stringify({ type: "summary", summary: "Names", leafUuid: "x" }),
    says("Give users names", { minute: 1 }),
    calls("Write", { file_path: plan, content: "# Users have names\n" }, { minute: 2 }),
    calls("ExitPlanMode", { plan: "# Users have names\n" }, { minute: 3 }),
    calls(
      "TodoWrite",
      { todos: [{ content: "Store them", status: "in_progress", activeForm: "Storing them" }] },
      { minute: 4 },
    ),
    calls("Edit", { file_path: plan, old_string: "a", new_string: "b" }, { minute: 5 }),
    answers("Done with the first.", { minute: 6 }),
  ]);
  const [session, ...more] = await read();
  expect(more).toEqual([]);
  expect(session).toEqual({
    kind: "claude",
    id,
    folder: root,
    lastActivityAt: ms(6),
    asked: "Give users names",
    askedAt: ms(1),
    plan: { source: plan, text: "# Users have names\n\n1. Store them\n", since: ms(2) },
    todos: {
      value: [{ content: "Store them", status: "in_progress", activeForm: "Storing them" }],
      at: ms(4),
    },
    branch: "feature/names",
    turn: { value: { id: "uuid-6", lastMessage: "Done with the first." }, at: ms(6) },
    endedAt: null,
    source: join(home, "projects", filed(root), `${id}.jsonl`),
  });
});

test("reading writes nothing: the whole tree is the same to the byte and the nanosecond", async () => {
  await put(join(home, "plans", "p.md"), "# P\n");
  await put(join(home, "todos", `${id}-agent-${id}.json`), "[]");
  await put(
    join(home, "tasks", id, "1.json"),
    JSON.stringify({ id: "1", subject: "One", status: "pending" }),
  );
  await transcript([says(`Do ${join(home, "plans", "p.md")}`, { minute: 1 })]);
  const before = treeOf(home);
  expect(await read()).toHaveLength(1);
  await findSessions({
    root,
    stateFolder: join(base, "state"),
    now: ms(2),
    maxQuietMs: 1e9,
    claude: home,
  });
  expect(treeOf(home)).toEqual(before);
  expect(readdirSync(base).toSorted()).toEqual(["claude", "work"]);
});

test("only sessions with a folder in the repository or its workspaces count", async () => {
  const inside = join(root, "packages", "app");
  const workspace = join(base, "state", "workspaces", "run", "agent-1");
  const sibling = `${root}-other`;
  await transcript([says("One", { minute: 1 })]);
  await transcript([says("Two", { minute: 1, cwd: inside })], { folder: inside, name: "two" });
  await transcript([says("Three", { minute: 1, cwd: workspace })], { folder: workspace, name: "three" });
  await transcript([says("Four", { minute: 1, cwd: sibling })], { folder: sibling, name: "four" });
  // Filed under the same name as the repository's, and of another folder.
  await transcript([says("Five", { minute: 1, cwd: root.replace(".", "/") })], { name: "five" });
  await transcript([JSON.stringify({ type: "user", message: { content: "Nowhere" } })], { name: "six" });
  const asked = (await read([root, join(base, "state", "workspaces")]))
    .map((session) => session.asked)
    .toSorted();
  expect(asked).toEqual(["One", "Three", "Two"]);
});

test("half a line, an unknown kind, older versions and helpers do no harm", async () => {
  await transcript([
    '{"type":"user","message":{"content":"cut of',
    "not json at all",
    "null",
    "[1, 2]",
    JSON.stringify({ type: "file-history-snapshot", snapshot: {} }),
    JSON.stringify({ type: "tomorrow", cwd: 7, gitBranch: [], timestamp: "never", todos: "none" }),
    says("Old words", { minute: 1 }),
    says("<command-name>/clear</command-name>", { minute: 2 }),
    says("meta", { minute: 2, more: { isMeta: true } }),
    says("A helper's task", { minute: 3, more: { isSidechain: true } }),
    line(
      "user",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
      { minute: 4 },
    ),
    // As the first versions kept lists: a priority, and no active form.
    calls(
      "TodoWrite",
      {
        todos: [
          { id: "1", content: "Read", status: "completed", priority: "high" },
          { status: "pending" },
          "?",
        ],
      },
      { minute: 5 },
    ),
    '{"type":"assistant","message":{"content":[{"type":"text","te',
  ]);
  expect((await read())[0]).toMatchObject({
    asked: "Old words",
    todos: { value: [{ content: "Read", status: "completed", activeForm: "Read" }] },
    turn: null,
    plan: null,
    lastActivityAt: ms(5),
  });
});

test("a list repeated with each prompt keeps its time, so that a new plan ends it", async () => {
  const todos = [{ content: "Read", status: "pending", activeForm: "Reading" }];
  const first = join(home, "plans", "first.md");
  const second = join(home, "plans", "second.md");
  await put(first, "# First\n");
  await put(second, "# Second\n");
  await transcript([
    calls("Write", { file_path: first, content: "# First" }, { minute: 1 }),
    calls("TodoWrite", { todos }, { minute: 2 }),
    calls("Write", { file_path: second, content: "# Second" }, { minute: 3 }),
    says("Go on", { minute: 4, more: { todos } }),
  ]);
  expect((await read())[0]).toMatchObject({ plan: { source: second, since: ms(3) }, todos: { at: ms(2) } });
});

test("the plan is the one that the session named; without a name, the one named like the session", async () => {
  const named = join(home, "plans", "named.md");
  await put(named, "# Named\n");
  await put(join(home, "plans", "calm-otter.md"), "# By its slug\n");
  await transcript([says(`Carry out ${named} please`, { minute: 1, more: { slug: "calm-otter" } })]);
  expect((await read())[0]?.plan).toMatchObject({ source: named, text: "# Named\n" });
  await transcript([
    says("See /etc/plans/passwd.md and docs/plans/mine.md", { minute: 1, more: { slug: "calm-otter" } }),
  ]);
  expect((await read())[0]?.plan).toMatchObject({ text: "# By its slug\n" });
  await transcript([says("Nothing", { minute: 1, more: { slug: "gone" } })]);
  expect((await read())[0]?.plan).toBe(null);
  // Its file is gone: as it was written.
  await transcript([calls("ExitPlanMode", { plan: "# Only said\n" }, { minute: 1 })]);
  expect((await read())[0]?.plan).toEqual({ source: "the session", text: "# Only said\n", since: ms(1) });
});

test("the newest list counts: of the transcript, its file and tasks", async () => {
  const item = (content: string) => [{ content, status: "pending", activeForm: content }];
  await transcript([
    calls("TodoWrite", { todos: item("said") }, { minute: 3 }),
    calls("TeamCreate", { team_name: "builders" }, { minute: 4 }),
    calls("TeamCreate", { team_name: "../../etc" }, { minute: 4 }),
  ]);
  const file = join(home, "todos", `${id}-agent-${id}.json`);
  await put(file, JSON.stringify(item("in the file")), ms(2));
  expect((await read())[0]?.todos?.value).toEqual(item("said"));
  await put(file, JSON.stringify(item("in the file")), ms(5));
  expect((await read())[0]?.todos?.value).toEqual(item("in the file"));
  for (const [name, subject] of [
    ["10", "ten"],
    ["2", "two"],
  ] as const)
    await put(
      join(home, "tasks", "builders", `${name}.json`),
      JSON.stringify({ id: name, subject, status: "in_progress", activeForm: "Doing" }),
      ms(6),
    );
  await put(join(home, "tasks", "builders", "3.json"), "{half", ms(6));
  expect((await read())[0]?.todos?.value).toEqual([
    { content: "two", status: "in_progress", activeForm: "Doing" },
    { content: "ten", status: "in_progress", activeForm: "Doing" },
  ]);
  await put(file, "{ no list", ms(9));
  expect((await read())[0]?.todos?.at).toBe(ms(6));
});

test("a huge transcript is read from its beginning and its end, and no link is followed", async () => {
  const filler = says("x".repeat(10_000), { minute: 2, more: { isMeta: true } });
  await transcript([
    says("The first words", { minute: 1, more: { slug: "calm-otter" } }),
    ...Array.from({ length: 400 }, () => filler),
    answers("The last words", { minute: 9 }),
  ]);
  await put(join(home, "plans", "calm-otter.md"), "# By its slug\n");
  expect((await read())[0]).toMatchObject({
    asked: "The first words",
    turn: { value: { lastMessage: "The last words" } },
    plan: { text: "# By its slug\n" },
  });
  const secret = join(base, "secret");
  await put(join(secret, "x.jsonl"), `${says("Secret", { minute: 1 })}\n`);
  await put(join(secret, "plan.md"), "# Secret\n");
  await symlink(join(secret, "x.jsonl"), join(home, "projects", filed(root), "linked.jsonl"));
  await symlink(secret, join(home, "projects", `${filed(root)}-linked`));
  await rm(join(home, "plans", "calm-otter.md"));
  await symlink(join(secret, "plan.md"), join(home, "plans", "calm-otter.md"));
  const sessions = await read();
  expect(sessions.map((session) => session.asked)).toEqual(["The first words"]);
  expect(sessions[0]?.plan).toBe(null);
});

test("without Claude Code there is nothing, and its setting gives its folder", async () => {
  expect(await claudeSessions([root], 0, join(base, "nowhere"))).toEqual([]);
  expect(claudeFolder({ CLAUDE_CONFIG_DIR: "/elsewhere" }, "/home/u")).toBe("/elsewhere");
  expect(claudeFolder({}, "/home/u")).toBe("/home/u/.claude");
});

test("the branch of the repository tells whether a session works on another one", async () => {
  await transcript([says("One", { minute: 1 })]);
  const find = (now: number, back?: number) =>
    findSessions({
      root,
      stateFolder: join(base, "state"),
      now,
      maxQuietMs: 3_600_000,
      claude: home,
      ...(back ? { backMs: back } : {}),
    });
  const expiries = async (now: number, back?: number) => (await find(now, back)).map(({ expiry }) => expiry);
  expect(gitBranchOf(root)).toBe(null);
  expect(await expiries(ms(2))).toEqual([null]);
  await put(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(await expiries(ms(2))).toEqual(["other-branch"]);
  await put(join(root, ".git", "HEAD"), "ref: refs/heads/feature/names\n");
  expect(await expiries(ms(2))).toEqual([null]);
  expect(await expiries(ms(90))).toEqual([]);
  expect(await expiries(ms(90), 1e12)).toEqual(["old"]);
});

test("a file that was written just after a time counts as changed, though its stamp is of the tick before", async () => {
  const since = ms(5);
  for (const [name, at] of Object.entries({ "new.txt": since - 8, "old.txt": since - 1_000 })) {
    await writeFile(join(root, name), "text");
    await utimes(join(root, name), at / 1_000, at / 1_000);
  }
  expect(await changedSince(root, ["new.txt", "old.txt"], since, 10)).toEqual(["new.txt"]);
});
