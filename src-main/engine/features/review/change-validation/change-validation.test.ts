import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChangeValidation, Progress } from "#shared/contract/commands/validation.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import type { Scene, Script } from "../../../../model/stand-in/script.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";

const queue = `const timeoutMs = 5_000;

export async function drain(queue, most) {
  if (most <= 0) throw new RangeError("most");
  const all = [];
  await queue.open();
  while (all.length < most) {
    all.push(await queue.next({ timeout: timeoutMs }));
  }
  return all;
}
`;
const config = `[backpressure]
fast_checks = ["grep -q RangeError src/queue.js"]
slow_checks = []

[validation]
validator_count = 3

[workspace]
setup = ["true"]
`;
/** Reads a file of its checkout, then votes. */
const judge = (vote: "approve" | "reject"): Scene => ({
  name: "judges",
  prompt: "[VALIDATE]",
  steps: [
    { calls: [{ tool: "read_file", input: { path: "src/queue.js" } }] },
    (seen) => {
      const commit = /^Commit: ([0-9a-f]{40})$/mu.exec(seen.prompt)?.[1] ?? "";
      return { calls: [{ tool: "cast_vote", input: { vote, commit, reason: "I read it." } }] };
    },
  ],
});
const script = (routes: Readonly<Record<string, Scene>>): Script => ({
  name: "is judged",
  routes: Object.fromEntries(Object.entries(routes).map(([role, scene]) => [role, [scene]])),
});

async function withCommit(options: Parameters<typeof createFixture>[0]): Promise<{
  readonly one: Fixture;
  readonly changeId: string;
}> {
  const one = await createFixture({
    files: { "README.md": "a queue\n", ".hox/config.toml": config },
    ...options,
  });
  const { changeId } = await one.repo.repository.newChange({
    parents: ["main"],
    description: "Drain a queue\n\nAt most so many, and never less than one.\n",
    files: { "src/queue.js": queue },
  });
  return { one, changeId };
}

async function follow<T extends { readonly end: unknown }>(
  more: (after: number) => Promise<Progress<T>>,
): Promise<readonly T[]> {
  const seen: T[] = [];
  for (let version = 0; ; ) {
    const progress = await more(version);
    version = progress.version;
    seen.push(progress.value);
    if (progress.value.end !== null) return seen;
  }
}
const validation = (one: Fixture, id: string): Promise<readonly ChangeValidation[]> =>
  follow((after) => one.execute("change.validateMore", { id, after }));

const ofChange = (change: string) => ({ change, goal: null, from: null });

/** What a user sees of the repository, and what lies beside it. */
const surroundings = async ({ repo }: Fixture) => ({
  graph: await repo.terminal(["log", "--no-graph", "-r", "all()", "-T", 'commit_id ++ "\\n"']),
  workspaces: await repo.terminal(["workspace", "list"]),
  checkouts: existsSync(join(repo.folder, "state", "checkouts"))
    ? readdirSync(join(repo.folder, "state", "checkouts"))
    : [],
});

test("a change is judged without a run, vote by vote, and leaves only the verdict", async () => {
  const { one, changeId } = await withCommit({
    script: script({ "validator-3": judge("reject"), "validator-*": judge("approve") }),
  });
  const before = await surroundings(one);
  // As a host leaves it that is killed while a panel judges.
  mkdirSync(join(one.repo.folder, "state", "checkouts", "panel-killed"), { recursive: true });
  const { id } = await one.execute("change.validate", ofChange(changeId));
  const seen = await validation(one, id);
  const last = seen.at(-1);
  expect(last).toMatchObject({
    end: { kind: "done" },
    title: "Drain a queue",
    goal: "Drain a queue\n\nAt most so many, and never less than one.",
    validation: { verdict: "approved", checks: [{ outcome: "passed" }] },
    trust: { approved: 0, rejected: 0 },
  });
  expect(last?.spent.microDollars).toBeGreaterThan(0);
  expect(last?.validation?.seats.map(({ vote }) => vote)).toEqual(["approve", "approve", "reject"]);
  const cast = seen.map(
    ({ validation: view }) => view?.seats.filter(({ vote }) => vote !== "pending").length ?? 0,
  );
  expect(new Set(cast)).toEqual(new Set([0, 1, 2, 3]));
  expect(await surroundings(one)).toEqual({ ...before, checkouts: [] });
  expect(one.engine.state().run).toBeNull();

  // It is kept for the change, with the commit that was judged.
  await one.reopen();
  const kept = await one.execute("change.lastValidation", { changeId });
  expect(kept).toEqual(last);
  expect((await one.repo.repository.change(changeId))?.commitId).toBe(kept?.commitId);
  expect(await one.execute("change.lastValidation", { changeId: "zzzzzzzz" })).toBeNull();
});

test("seats get the change's decisions and the project's instructions", async () => {
  const { one } = await withCommit({ script: script({ "validator-*": judge("approve") }) });
  const { repository } = one.repo;
  const described = await repository.newChange({
    parents: ["main"],
    description: "Say how to work",
    files: { "AGENTS.md": "Every queue says how many it holds at most.\n" },
  });
  const decided = await repository.newChange({
    parents: [described.changeId],
    description: describeChange("A limit is a count of items", "Bytes cannot be counted before they come.", {
      kind: "mutation",
      status: "done",
    }),
  });
  const { changeId } = await repository.newChange({
    parents: [decided.changeId],
    description: "Drain a queue",
    files: { "src/queue.js": queue },
  });
  const { id } = await one.execute("change.validate", ofChange(changeId));
  await validation(one, id);
  const asked = one.standIn
    .requests()
    .map(({ seen }) => seen.prompt)
    .filter((prompt) => prompt.includes("[VALIDATE]"));
  const withDecision = asked.filter((prompt) =>
    prompt.includes("- A limit is a count of items: Bytes cannot be counted before they come."),
  );
  expect(withDecision.length).toBeGreaterThanOrEqual(2);
  expect(asked.some((prompt) => prompt.includes("Every queue says how many it holds at most."))).toBe(true);
});

test("a change that cannot be judged is refused with the remedy, before any request", async () => {
  const { one, changeId } = await withCommit({ script: script({ "validator-*": judge("approve") }) });
  const refused = (input: { change: string; from?: string; goal?: string }) =>
    one.execute("change.validate", { goal: null, from: null, ...input }).then(
      () => null,
      (error: { message: string; remedy: string }) => `${error.message} ${error.remedy}`,
    );
  expect(await refused({ change: "nobody" })).toMatch(/nobody/);
  expect(await refused({ change: "none()" })).toMatch(/matches no change.*hox log/);
  expect(await refused({ change: "all()" })).toMatch(/matches several changes.*Give exactly one/);
  expect(await refused({ change: "root()" })).toMatch(/jj's root.*another change/);
  expect(await refused({ change: "prio(" })).toMatch(/character \d/);
  const { changeId: empty } = await one.repo.repository.newChange({
    parents: ["main"],
    description: "Empty",
  });
  expect(await refused({ change: empty })).toMatch(/Empty changes no files.*--from/);
  const nameless = await one.repo.repository.newChange({
    parents: ["main"],
    description: "",
    files: { "a.txt": "a\n" },
  });
  expect(await refused({ change: nameless.changeId })).toMatch(
    /has no description, so its goal is unknown.*--goal/,
  );
  expect(await refused({ change: changeId, from: changeId })).toMatch(/changes no files since then/);
  expect(one.standIn.requests()).toEqual([]);
});

test("a failed check vetoes without a seat; a spent budget and a cancellation end the validation", async () => {
  const { one, changeId } = await withCommit({
    script: script({ "validator-*": judge("approve") }),
    // One vote of three decides nothing.
    faults: [
      { kind: "stall", role: "validator-1" },
      { kind: "stall", role: "validator-2" },
    ],
  });
  const bad = await one.repo.repository.newChange({
    parents: [changeId],
    description: "No check any more",
    files: { "src/queue.js": queue.replace("RangeError", "Error") },
  });
  const vetoed = await one.execute("change.validate", ofChange(bad.changeId));
  expect((await validation(one, vetoed.id)).at(-1)).toMatchObject({
    end: { kind: "done" },
    validation: { verdict: "vetoed" },
  });
  expect(one.standIn.requests()).toEqual([]);

  const before = await surroundings(one);
  const stalled = await one.execute("change.validate", ofChange(changeId));
  await expect
    .poll(() => one.standIn.requests().filter(({ seen }) => seen.role !== "validator-3").length, {
      timeout: 60_000,
    })
    .toBe(2);
  await expect(one.execute("change.validate", ofChange(changeId))).rejects.toThrow(
    "is already being validated",
  );
  await one.execute("change.cancelValidate", { id: stalled.id });
  expect((await validation(one, stalled.id)).at(-1)?.end).toEqual({ kind: "cancelled" });
  expect(await surroundings(one)).toEqual(before);

  const poor = await one.execute("change.validate", { ...ofChange(changeId), maxTokens: 1 });
  expect((await validation(one, poor.id)).at(-1)?.end).toEqual({ kind: "budget" });
  expect(await surroundings(one)).toEqual(before);
});
