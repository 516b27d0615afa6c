import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { createHostState } from "../../host.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

let folder: string;
const state = (): string => join(folder, "state");

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-cli-plan-")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hox = (args: readonly string[], cwd: string) =>
  hoxInProcess(args, { folder: cwd, env: { HOX_STATE: state() } });
const json = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a run's plan is shown and amended in a terminal, with and without a running host", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const begun = await hox(
    ["run", "--rehearsal", "profiles", "--json", "--approve", "plan,merge_requests"],
    folder,
  );
  expect(begun.code, begun.stderr).toBe(exitCode.waits);
  const root = String(json(begun.stdout)[0]?.path);
  const parents = async (title: string) =>
    (
      await execa(
        toolPath("jj"),
        [
          ...["log", "--no-pager", "--color=never", "--ignore-working-copy", "--no-graph"],
          ...["-r", `parents(description("${title}*"))`, "-T", "description.first_line()"],
        ],
        { cwd: root },
      )
    ).stdout;

  const shown = await hox(["plan"], root);
  expect(shown.stdout).toMatch(/^ {4}client\s+\w+\s+high\s+Profile client$/mu);
  const added = await hox(
    ["plan", "add", "Describe profiles", "--after", "client", "--files", "docs/a.md", "--json"],
    root,
  );
  expect(json(added.stdout), added.stderr).toMatchObject([
    { kind: "amended", live: false, edit: { kind: "add", task: { id: "describe-profiles", phase: 1 } } },
  ]);
  expect(await parents("Describe profiles")).toBe("Profile client");
  expect((await hox(["plan", "unlink", "describe-profiles", "client"], root)).stdout).toContain("hox run");
  expect(await parents("Describe profiles")).toMatch(/^Contracts: /u);

  const agents = (named: string) => hox(["plan", "agents", "describe-profiles", named], root);
  expect((await agents("default,claude-haiku-5-5")).stdout).toContain(
    'gave "describe-profiles" to the run’s agent and claude-haiku-5-5',
  );
  expect((await hox(["plan"], root)).stdout).toContain("by the run’s agent and claude-haiku-5-5");
  const noModel = await agents("codex");
  expect([noModel.code, noModel.stderr]).toEqual([
    exitCode.error,
    expect.stringContaining("Codex has no model."),
  ]);
  expect((await agents("default")).code).toBe(exitCode.done);

  const near = await hox(["plan", "remove", "cleint"], root);
  expect([near.code, near.stderr]).toEqual([exitCode.usage, expect.stringContaining("Did you mean client?")]);
  const late = await hox(["plan", "link", "client", "api"], root);
  expect([late.code, late.stderr]).toEqual([
    exitCode.error,
    expect.stringContaining("is already in progress"),
  ]);
  expect((await hox(["plan", "remove", "client"], root)).code, "who works is asked about").toBe(
    exitCode.waits,
  );

  const host = await createHostState({
    shell: "browser",
    version: "0",
    stateFolder: state(),
    rehearsalPace: 0,
  });
  try {
    await host.open(root);
    const live = await hox(["plan", "add", "Say who reads", "--id", "readers", "--files", "docs/b.md"], root);
    expect([live.code, live.stdout]).toEqual([
      exitCode.done,
      expect.stringContaining('added task "readers"'),
    ]);
    await vi.waitFor(
      () => {
        const workers = host.engine().state().run?.workers ?? [];
        expect(workers.find(({ task }) => task === "readers")?.status).toMatch(/in_progress|review|done/u);
      },
      { timeout: 120_000, interval: 200 },
    );
    const plan = json((await hox(["plan", "--json"], root)).stdout)[0] as {
      plan: { tasks: { id: string }[] };
    };
    expect(plan.plan.tasks.map(({ id }) => id)).toEqual([
      "api",
      "client",
      "storage",
      "describe-profiles",
      "readers",
    ]);
  } finally {
    await host.close();
  }
});
