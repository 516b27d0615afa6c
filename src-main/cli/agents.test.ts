import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { exitCode } from "./command-line.ts";
import { hoxInProcess } from "./testing/in-process.ts";

let folder: string;
let root: string;
beforeEach(async () => {
  folder = tempDir();
  root = join(folder, "repository");
  await mkdir(join(root, ".hox"), { recursive: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

const hox = (...args: readonly string[]) =>
  hoxInProcess(["agents", ...args], { folder: root, env: { HOX_STATE: join(folder, "state") } });

const agent = (name: string, ...more: readonly string[]) =>
  ["---", `name: ${name}`, `description: Does ${name}.`, ...more, "---", `You do ${name}.`, ""].join("\n");

test("hox agents list shows each with its source, show prints its prompt, and a typo gets a suggestion", async () => {
  await write(".hox/config.toml", '[hive]\nagents_dir = "team"\ndefault_model = "claude-haiku-5-5"\n');
  await write("team/search.md", agent("search", "tools: [read_file, search]", "limits:", "  max_turns: 9"));
  await write("agents/elsewhere.md", agent("elsewhere"));
  await write(".claude/agents/reviewer.md", agent("reviewer", "model: opus", "tools: Read, Grep"));

  const listed = await hox("list");
  expect(listed).toMatchObject({ code: exitCode.done, stderr: "" });
  expect(listed.stdout).toBe(`reviewer  .claude/agents/reviewer.md (an agent of Claude Code)
  Does reviewer.
  model: claude-opus-5-5
  tools: read_file, search
  limits: 300 s (hive.timeout_seconds)

search  team/search.md
  Does search.
  model: claude-haiku-5-5 (hive.default_model)
  tools: read_file, search
  limits: 9 requests, 300 s (hive.timeout_seconds)`);
  const json = (await hox("list", "--json")).stdout.split("\n").map((line) => JSON.parse(line));
  expect(json).toMatchObject([
    { kind: "agent", name: "reviewer", source: { kind: "claude" } },
    { kind: "agent", name: "search", system: "You do search.", limits: { maxTurns: 9 } },
  ]);

  const shown = (await hox("show", "search", "--worker", "agent-2", "--task", "Find it.")).stdout;
  expect(shown).toMatch(/^search {2}team\/search\.md\n[\s\S]*\n\nYou do search\.\n[\s\S]*Find it\./u);
  expect(shown).toContain("You are agent-2-fork-1, started by agent-2");
  const near = await hox("show", "serach");
  expect([near.code, near.stdout]).toEqual([exitCode.usage, ""]);
  expect(near.stderr).toContain("Did you mean search?");
});

test("hox agents check reports file and line with a remedy and exits 1; without an error it exits 0", async () => {
  expect(await hox("check")).toMatchObject({ code: exitCode.done, stdout: "No agent files." });
  await write("agents/good.md", agent("good"));
  await write(".claude/agents/good.md", agent("good", "color: red", "skills: x"));
  const warned = await hox("check");
  expect(warned).toMatchObject({ code: exitCode.done, stdout: "1 agent, no errors." });
  expect(warned.stderr).toContain(".claude/agents/good.md:2: warning: agents/good.md also defines an agent");

  await write("agents/bad.md", agent("bad", "tools:", "  - read_file", "  - raed_file"));
  const { code, stdout, stderr } = await hox("check");
  expect([code, stdout]).toEqual([exitCode.error, ""]);
  expect(stderr).toContain(
    'agents/bad.md:6: error: "raed_file" is not a tool of Hox.\n  Did you mean read_file?',
  );
  const listed = await hox();
  expect(listed.code).toBe(exitCode.done);
  expect(listed.stdout).toMatch(/^good {2}agents\/good\.md$/mu);
  expect(listed.stderr).toContain("1 file could not be loaded");
  expect(JSON.parse((await hox("check", "--json")).stdout.split("\n")[0] ?? "")).toMatchObject({
    kind: "problem",
    path: "agents/bad.md",
    line: 6,
  });
});

test("hox agents migrate previews, writes when told to, and then has nothing to do", {
  tags: ["long"],
}, async () => {
  const earlier =
    "---\nmodel: claude-haiku-5-5\ntools: [read_file, hive_delegate]\n---\nCall hive_delegate.\n";
  await write("agents/finder.md", earlier);
  expect((await hox("check")).stderr).toContain("hox agents migrate");

  const preview = await hox("migrate");
  expect(preview.code).toBe(exitCode.done);
  expect(preview.stdout).toContain("agents/finder.md\n  2: + name: finder\n");
  expect(preview.stdout).toContain(
    "  3: - tools: [read_file, hive_delegate]\n  3: + tools: [read_file, fork_subagent]",
  );
  expect(preview.stdout).toContain("Nothing was written.");
  expect(await read("agents/finder.md")).toBe(earlier);

  expect((await hox("migrate", "--write")).stdout).toContain("1 file written.");
  expect(await read("agents/finder.md")).toBe(
    '---\nname: finder\ndescription: "Call fork_subagent."\nmodel: claude-haiku-5-5\ntools: [read_file, fork_subagent]\n---\nCall fork_subagent.\n',
  );
  expect((await hox("check")).code).toBe(exitCode.done);
  expect((await hox("migrate", "--write")).stdout).toContain("Nothing to do.");
});

test("hox agents migrate --from copies the files of another folder without overwriting", {
  tags: ["long"],
}, async () => {
  const old = join(folder, "old");
  await mkdir(old);
  await writeFile(join(old, "one.md"), agent("one", 'tools: "."'));
  await writeFile(join(old, "two.md"), agent("two"));
  await write("agents/two.md", "ours\n");
  const refused = await hox("migrate", "--from", old, "--write");
  expect(refused.code).toBe(exitCode.error);
  expect(refused.stderr).toContain("agents/two.md already exists. Nothing was written.");
  await expect(read("agents/one.md")).rejects.toThrow("ENOENT");

  await rm(join(root, "agents/two.md"));
  expect((await hox("migrate", "--from", old, "--write")).stdout).toContain("2 files written.");
  expect(await read("agents/one.md")).toBe(agent("one"));
  expect(await readFile(join(old, "one.md"), "utf8")).toContain('tools: "."');
  const nothing = await hox("migrate", "--from", join(folder, "nowhere"));
  expect([nothing.code, nothing.stderr]).toEqual([
    exitCode.error,
    expect.stringContaining("--from <folder>"),
  ]);
});

test("hox agents show clone prints what a clone receives after its caller's bytes, in order", async () => {
  await write(
    ".hox/config.toml",
    '[hive]\nclone_sysprompt_followup = "Answer in one line."\nclone_userprompt_prefix = "Your part:"\nclone_disable_tools = ["run_command"]\n',
  );
  const { code, stdout } = await hox("show", "clone", "--task", "Count the users.");
  expect(code).toBe(exitCode.done);
  expect(stdout).toMatch(
    /^First, byte for byte: the system prompt[\s\S]*run_command[\s\S]*\[FORK\][\s\S]*Answer in one line\.[\s\S]*Your part:[\s\S]*Count the users\./u,
  );
  const [first = ""] = (await hox("show", "clone", "--json")).stdout.split("\n");
  expect(JSON.parse(first)).toMatchObject({ kind: "clone", caller: null, refused: ["run_command"] });
});
