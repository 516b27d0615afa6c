import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { exitCode } from "./command-line.ts";
import { hoxInProcess } from "./testing/in-process.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-cli-")));
  repository = await createTestRepository();
});

afterAll(async () => {
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

/** `hox` as a shell starts it: no terminal, no key, a state folder of its own. */
async function started(args: readonly string[], cwd = repository.repository.root) {
  const {
    exitCode: code,
    stdout,
    stderr,
  } = await execa(process.execPath, [entry, ...args], {
    cwd,
    reject: false,
    stdin: "ignore",
    env: { HOX_STATE: join(folder, "state"), ANTHROPIC_API_KEY: "", npm_lifecycle_event: "", NO_COLOR: "1" },
  });
  return { code, stdout, stderr };
}

/** The same in this process, but for `run`, which watches for signals as long as its process lives. */
const hox = (args: readonly string[], cwd = repository.repository.root) =>
  hoxInProcess(args, { folder: cwd, env: { HOX_STATE: join(folder, "state") } });

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a wrong usage exits 2 and prints the right one", () => {
  test.each([
    [["lgo"], "Did you mean log?"],
    [["log", "--revision", "@"], "Did you mean --revisions?"],
    [["describe", "--set-priority", "hihg"], "Did you mean high?"],
    [["describe", "--set-status", "in-progress"], "Did you mean in_progress?"],
    [["run", "--goal", "x", "--approve", "plan,mutation"], "Did you mean mutations?"],
    [["run", "--goal", "x", "--orchestrators", "0"], "from 1 to 32"],
    [["run", "--goal", "x", "--max-budget-usd", "much"], "US dollars"],
    [["run", "--goal", "x", "--max-iterations", "0"], "from 1 to 1000"],
    [["serve", "--port", "99999"], "from 0 to 65535"],
    [["log", "-n", "-1"], "whole number"],
    [["run", "--approve", ","], "Give one or more of: preflight, plan"],
  ])("hox %j, before anything is started", async (args, words) => {
    const { code, stderr } = await hox(args);
    expect(stderr).toContain(words);
    expect(code).toBe(exitCode.usage);
  });

  test.each([
    [["lgo"], "Did you mean log?"],
    [["describe"], "Nothing to write"],
    [["run", "--rehearsal", "profile"], "Available: profiles, receipts, tides"],
    [["run", "--rehearsal", "profiles", "--orchestrators", "3"], "With 3: tides."],
    [
      ["run", "--rehearsal", "tides", "--orchestrators", "2"],
      "Available: profiles (1), receipts (1), tides (3).",
    ],
    [["run"], "--goal"],
    [["run", "--goal", "x", "--approve", "plan,patterns"], "works only in a rehearsal"],
  ])("hox %j", async (args, words) => {
    const { code, stderr } = await (args[0] === "run" ? started : hox)(args);
    expect(stderr).toContain(words);
    expect(code).toBe(exitCode.usage);
  });

  test("the version is printed", async () => {
    const { code, stdout } = await started(["--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/u);
    expect(code).toBe(exitCode.done);
  });

  test("every command has help", async () => {
    for (const command of [
      "init",
      "run",
      "status",
      "log",
      "describe",
      "pause",
      "reassign",
      "take-over",
      "give-back",
      "answer",
      "budget",
      "undo",
      "serve",
      "address",
      "config",
      "trust",
      "doctor",
    ]) {
      const { code, stdout } = await hox([command, "--help"]);
      expect([code, stdout]).toEqual([0, expect.stringContaining("--repo <folder>")]);
      expect(stdout).toContain("--json");
    }
  });
});

test("describe writes Hox's metadata, log finds it, and other lines stay", async () => {
  await repository.terminal(["describe", "-m", "Subject\n\nBody.\n\nSigned-off-by: A <a@example.org>"]);
  const set = ["--set-priority", "high", "--set-status", "in_progress", "--set-agent", "agent-42"];
  expect((await hox(["describe", ...set, "--set-orchestrator", "O-A-1"])).code).toBe(0);
  const description = await repository.terminal(["log", "--no-graph", "-r", "@", "-T", "description"]);
  expect(description).toContain("Body.\n\nSigned-off-by: A <a@example.org>\n");
  expect(description).toContain("Hox-Agent: agent-42");
  const found = await hox(["log", "-r", 'priority(high) & agent("agent-*")', "--json"]);
  expect(jsonLines(found.stdout)).toMatchObject([{ metadata: { priority: "high", orchestrator: "O-A-1" } }]);
  expect((await hox(["log", "-r", "priority(high)"])).stdout).toMatch(/@ .*\n.*Subject/u);

  await hox(["describe", "@", "--set-agent", "", "-m", "Another subject"]);
  const again = jsonLines((await hox(["log", "-r", "@", "--json"])).stdout)[0];
  expect(again?.description).toMatch(/^Another subject\n/u);
  expect(again?.metadata).toEqual({ priority: "high", status: "in_progress", orchestrator: "O-A-1" });
  expect((await hox(["describe", "@", "--mutation"])).stdout).toContain("kind: mutation");
});

test("an error in a revset is underlined; jj's own errors keep jj's text", async () => {
  const { code, stderr } = await hox(["log", "-r", "mine() & priority(hihg)"]);
  expect(code).toBe(exitCode.usage);
  expect(stderr).toContain("  mine() & priority(hihg)\n                    ^^^^\n");
  const one = await hox(["describe", "priority(hihg)", "-m", "x"]);
  expect(one.code).toBe(exitCode.usage);
  expect(one.stderr).toContain("  priority(hihg)\n           ^^^^\n");
  const near = await hox(["log", "-r", "statu(open)"]);
  expect(near.stderr).toContain("Did you mean status()?");
  expect(near.code).toBe(exitCode.usage);
  const gone = await hox(["describe", "no-such-change", "-m", "x"]);
  expect(gone.stderr).toContain("hox log");
  expect(gone.code).toBe(exitCode.usage);
});

test("init asks before it makes a repository, and writes the configuration once", async () => {
  const plain = join(folder, "plain");
  await mkdir(plain);
  await writeFile(join(plain, "file.txt"), "kept\n");
  expect((await hox(["init"], plain)).code).toBe(exitCode.waits);
  expect((await hox(["log"], plain)).stderr).toContain("not a jj repository");
  const made = await hox(["init", "--yes", "--json"], plain);
  expect(jsonLines(made.stdout)).toMatchObject([{ made: "jj", written: true }]);
  expect(jsonLines((await hox(["init", "--json"], plain)).stdout)).toMatchObject([
    { made: null, written: false },
  ]);
  expect((await hox(["init", "--repo", join(folder, "nowhere")])).stderr).toContain("No folder");
});

test("a run without a key and a folder without a repository report what is missing", async () => {
  const { code, stderr } = await started(["run", "--goal", "Do it"]);
  expect([code, stderr]).toEqual([exitCode.error, expect.stringContaining("ANTHROPIC_API_KEY")]);
  expect((await started(["run", "--again"])).stderr).toContain("No completed run in this repository.");
  expect((await hox(["status"])).stdout).toContain("No runs in this repository yet");
});

test("the rehearsal in a terminal waits for the user, uses answers given in advance, and lands", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const waiting = await started(["run", "--rehearsal", "profiles", "--json"], folder);
  expect(waiting.code).toBe(exitCode.waits);
  const lines = jsonLines(waiting.stdout);
  expect(lines.at(-1)).toMatchObject({ kind: "end", outcome: "waits", card: "plan" });
  const root = String(lines[0]?.path);

  const status = await started(["status"], root);
  expect(status.stdout).toContain("1 decision waits");
  expect(status.stdout).toContain("not running");

  const approve = ["--approve", "plan,questions,mutations,patterns,land"];
  const ended = await started(
    ["run", "--rehearsal", "profiles", "--repo", root, "--json", ...approve],
    folder,
  );
  expect(ended.stderr).toBe("");
  expect(ended.code).toBe(exitCode.done);
  const events = jsonLines(ended.stdout);
  expect(new Set(events.map((event) => event.kind))).toEqual(
    new Set(["opened", "run", "inbox", "messages", "conversation", "decided", "end"]),
  );
  expect(events.filter((event) => event.kind === "decided").map((event) => event.card)).toEqual(
    expect.arrayContaining(["plan", "align-request", "mutation", "pattern", "land"]),
  );
  expect(events.at(-1)).toMatchObject({ outcome: "complete", landed: { bookmark: "main" } });
  expect(JSON.parse((await started(["status", "--json"], root)).stdout)).toMatchObject({
    pid: null,
    run: { stage: "complete" },
  });
});

test("a spent budget stops the run with exit code 4", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const { code, stdout } = await started(
    [
      "run",
      "--rehearsal",
      "profiles",
      "--max-tokens",
      "5000",
      "--approve",
      "plan,questions,mutations,patterns,land",
    ],
    folder,
  );
  expect(stdout).toMatch(/budget/iu);
  expect(code).toBe(exitCode.budget);
});
