import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

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
