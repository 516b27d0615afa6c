import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import { createCheckRunner, type FolderChecks } from "./check-runner.ts";
import { foundChecks } from "./found-checks.ts";

let workspace: string;
let sandbox: Sandbox;
beforeEach(async () => {
  workspace = tempDir();
  sandbox = await createSandbox({ allowUnsandboxed: true });
});

/** Which slow checks ran in iterations 1 to `last`; the fast one fails where the file `bad` stands. */
async function slowRuns(runner: FolderChecks, last: number, bad: readonly number[] = []): Promise<number[]> {
  const ran: number[] = [];
  for (let iteration = 1; iteration <= last; iteration++) {
    writeFileSync(join(workspace, "state"), bad.includes(iteration) ? "bad" : "good");
    const results = await runner.run({
      workspace,
      iteration,
      signal: new AbortController().signal,
      environment: {},
    });
    if (results.some((result) => result.speed === "slow")) ran.push(iteration);
  }
  return ran;
}
const runner = (
  everyNIterations: number,
  over: Partial<Parameters<typeof createCheckRunner>[0]> = {},
): FolderChecks =>
  createCheckRunner({
    sandbox,
    fastChecks: ["grep -q good state"],
    slowChecks: [{ command: "true", everyNIterations }],
    timeoutSeconds: 60,
    ...over,
  });

describe("check runner", () => {
  it("runs the slow checks every n iterations, and earlier after two fast failures in three", async () => {
    expect(await slowRuns(runner(4), 8)).toEqual([4, 8]);
    expect(await slowRuns(runner(10), 7, [2, 4])).toEqual([4]);
    expect(await slowRuns(runner(10), 7, [2, 5])).toEqual([]);
  });

  it("lets no check get older than 2n iterations, also across a restart", async () => {
    const results = [
      { name: "true", command: "true", speed: "slow", outcome: "passed", ms: 1, output: "" },
    ] as const;
    const late = runner(4, { history: [{ iteration: 1, results }] });
    const options = { workspace, signal: new AbortController().signal, environment: {} };
    writeFileSync(join(workspace, "state"), "good");
    expect(await late.run({ ...options, iteration: 7 })).toHaveLength(1);
    expect(await late.run({ ...options, iteration: 9 })).toHaveLength(2);
  });

  it("counts every check, and treats a time-out and a missing program as failures", async () => {
    const endless = "sleep 300";
    // On a busy machine a second passes before any of the others has begun.
    const patient: Sandbox = {
      ...sandbox,
      run: (placed) => sandbox.run(placed.command === endless ? placed : { ...placed, timeoutMs: 60_000 }),
    };
    const strict = createCheckRunner({
      sandbox: patient,
      fastChecks: ["true", "false", endless, "no-such-linter ."],
      slowChecks: [{ command: "echo broken; exit 2", everyNIterations: 9 }],
      timeoutSeconds: 1,
    });
    const results = await strict.run({
      workspace,
      iteration: 1,
      all: true,
      signal: new AbortController().signal,
      environment: {},
    });
    expect(results.map((result) => result.outcome)).toEqual([
      "passed",
      "failed",
      "timed-out",
      "missing",
      "failed",
    ]);
    expect(results.at(-1)?.output).toContain("broken");
  });

  it("uses the repository's checks even if the agent edits its own files", async () => {
    const before = mkdtempSync(join(tmpdir(), "hox-before-"));
    writeFileSync(join(before, "package.json"), JSON.stringify({ scripts: { lint: "exit 1" } }));
    writeFileSync(join(workspace, "package.json"), JSON.stringify({ scripts: { types: "exit 0" } }));
    const watched = createCheckRunner({
      sandbox,
      fastChecks: null,
      slowChecks: null,
      timeoutSeconds: 60,
      defaultsFrom: before,
    });
    const signal = new AbortController().signal;
    const results = await watched.run({ workspace, iteration: 1, signal, environment: {} });
    rmSync(before, { recursive: true });
    expect(results).toMatchObject([
      { name: "lint", outcome: "failed", output: "It printed nothing and ended with exit code 1." },
      { name: "types", outcome: "passed" },
    ]);
  });

  it("compares a failed check with the base: by failure names if there are any, else by its last output", async () => {
    const report = (...names: readonly string[]) =>
      `${names.map((name) => `echo 'FAILED t.py::${name} - no'`).join("; ")}; echo '${names.length} failed in 0.1s'; false`;
    writeFileSync(join(workspace, "report"), "");
    const [named, unnamed, absent] = [". ./report", "test -f fixed", "no-such-linter ."];
    const held = createCheckRunner({
      sandbox,
      fastChecks: [named, unnamed, absent],
      slowChecks: [],
      timeoutSeconds: 60,
      base: {
        chosen: {},
        outcomes: {
          [named]: { outcome: "failed", failures: ["t.py::old"] },
          [unnamed]: { outcome: "failed", failures: null },
          [absent]: { outcome: "missing", failures: null },
        },
        leftOut: [],
      },
    });
    const run = async (iteration: number) =>
      held.run({ workspace, iteration, signal: new AbortController().signal, environment: {} });
    writeFileSync(join(workspace, "report"), report("old"));
    const before = await run(1);
    // What names nothing, or is not there, shows nothing of the work.
    expect(before.map(({ outcome }) => outcome)).toEqual(["known-failure", "unproven", "unproven"]);
    expect(before[1]).toMatchObject({ why: expect.stringContaining("does not name what fails") });
    expect(before[0]?.output).toMatch(
      /^It failed before the run began as well, and nothing more .*t\.py::old\./u,
    );
    writeFileSync(join(workspace, "report"), report("old", "new"));
    const [worse] = await run(2);
    expect(worse).toMatchObject({ outcome: "failed" });
    expect(worse?.output).toMatch(/^New, and yours to repair: t\.py::new\. Another 1 failed/u);
    // Once it has passed, it is not red as before any more.
    writeFileSync(join(workspace, "fixed"), "");
    expect((await run(3))[1]).toMatchObject({ outcome: "passed" });
    rmSync(join(workspace, "fixed"));
    expect((await run(4))[1]).toMatchObject({ outcome: "failed" });
  });

  it("blocks on failures when pytest could not collect the base, and says so", async () => {
    const say = (...lines: readonly string[]) => `${lines.map((line) => `echo '${line}'`).join("; ")}; false`;
    const interrupted = say(
      "ERROR test_broken.py",
      "!!! Interrupted: 1 error during collection !!!",
      "1 error in 0.1s",
    );
    const command = ". ./report";
    const held = createCheckRunner({
      ...{ sandbox, fastChecks: [command], slowChecks: [], timeoutSeconds: 60 },
      base: {
        chosen: {},
        outcomes: {
          [command]: { outcome: "could-not-run", failures: ["test_broken.py"], why: "interrupted" },
        },
        leftOut: [],
      },
    });
    const run = async (report: string, iteration: number) => {
      writeFileSync(join(workspace, "report"), report);
      const options = { workspace, iteration, signal: new AbortController().signal, environment: {} };
      return (await held.run(options))[0];
    };
    const same = await run(interrupted, 1);
    expect(same).toMatchObject({
      outcome: "unproven",
      why: "pytest was interrupted: 1 error during collection",
    });
    expect(same?.output).toMatch(
      /^It could not run: .* The user decides whether the work lands without it\./u,
    );
    // It runs now, and nothing is known of what failed before.
    const ran = await run(say("FAILED t.py::a - no", "1 failed, 1 passed in 0.1s"), 2);
    expect(ran).toMatchObject({ outcome: "failed" });
    expect(ran?.output).toMatch(/^New, and yours to repair: t\.py::a\./u);
  });

  it("skips checks that the user left out, and does not run a missing program", async () => {
    const scripts = { lint: "exit 1", types: "exit 0" };
    writeFileSync(join(workspace, "package.json"), JSON.stringify({ scripts }));
    writeFileSync(join(workspace, "ruff.toml"), "");
    writeFileSync(join(workspace, "setup.py"), "");
    const { signal } = new AbortController();
    const found = createCheckRunner({
      sandbox,
      fastChecks: null,
      slowChecks: null,
      timeoutSeconds: 60,
      base: { chosen: { lint: "npm run --silent lint" }, outcomes: {}, leftOut: ["npm run --silent lint"] },
    });
    // What the agent brought in has no program here: that is told, and costs no iteration.
    expect(await found.run({ workspace, iteration: 1, signal, environment: {} })).toMatchObject([
      { name: "ruff check", outcome: "unproven" },
      { name: "types", outcome: "passed" },
    ]);
  });

  it("does not pass a check that may not run", async () => {
    const held = await createSandbox({ allowUnsandboxed: false, program: null });
    const results = await runner(1, { sandbox: held }).run({
      workspace,
      iteration: 1,
      signal: new AbortController().signal,
      environment: {},
    });
    expect(results.map((result) => result.outcome)).toEqual(["missing", "missing"]);
    expect(results[0]?.output).toContain("no sandbox");
  });
});

describe("default checks", () => {
  const from = (files: Record<string, string>): ReturnType<typeof foundChecks> => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
    return foundChecks([workspace]);
  };
  it("come from what the repository uses", async () => {
    expect(await from({ "README.md": "" })).toEqual({ fast: [], slow: [] });
    expect(
      await from({
        "package.json": JSON.stringify({ scripts: { lint: "biome lint", test: "node --test" } }),
        "Cargo.toml": "",
        "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]",
      }),
    ).toEqual({
      fast: [
        "cargo check --quiet --all-targets",
        "cargo clippy --quiet --all-targets",
        "ruff check .",
        "npm run --silent lint",
      ],
      slow: [
        { command: "cargo test --quiet --no-fail-fast", everyNIterations: 3 },
        { command: "python3 -m pytest -q --continue-on-collection-errors", everyNIterations: 2 },
        { command: "npm run --silent test", everyNIterations: 2 },
      ],
    });
  });

  it("fail for an unreadable package.json, instead of checking nothing", async () => {
    const checks = await from({ "package.json": "{ scripts" });
    const broken = createCheckRunner({
      sandbox,
      fastChecks: checks.fast,
      slowChecks: checks.slow,
      timeoutSeconds: 60,
    });
    const results = await broken.run({
      workspace,
      iteration: 1,
      signal: new AbortController().signal,
      environment: {},
    });
    expect(results).toMatchObject([{ outcome: "failed" }]);
  });
});
