import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { CalibrationView } from "#shared/contract/views/calibration.ts";
import type { ChangeValidation, Progress } from "#shared/contract/views/change-validation.ts";
import { describeChange } from "#shared/domain/plan/task-words.ts";
import { builtInSample } from "#shared/domain/planting/built-in-sample.ts";
import { figuresOf, type SampleVote } from "#shared/domain/validation/calibration.ts";
import type { Scene, Script, Seen } from "../../../model/stand-in/script.ts";
import { createFixture, type Fixture } from "../../testing/run-fixture.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

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
const good: Readonly<Record<string, string>> = { "src/queue.js": queue, ...builtInSample.files };

type Vote = "approve" | "reject" | "abstain";
const votes: { seat: string; commit: string; isBad: boolean; vote: Vote }[] = [];

/** Reads the files of its checkout, sees by them whether something was planted, and answers as its nature is. */
const judge = (answer: (isBad: boolean, seen: Seen) => Vote): Scene => ({
  name: "judges",
  prompt: "[VALIDATE]",
  steps: [
    {
      calls: Object.keys(good).map((path) => ({ tool: "read_file", input: { path } })),
    },
    (seen) => {
      const commit = /^Commit: ([0-9a-f]{40})$/mu.exec(seen.prompt)?.[1] ?? "";
      const isBad = seen.results.some(({ input, output, isError }) => {
        const { path } = input as { path: string };
        return !isError && !sameText(output, good[path] ?? "");
      });
      const vote = answer(isBad, seen);
      votes.push({ seat: seen.role, commit, isBad, vote });
      return {
        calls: [{ tool: "cast_vote", input: { vote, commit, reason: `It is ${isBad ? "bad" : "good"}.` } }],
      };
    },
  ],
});
/** The tool has a head of its own above the file. */
const sameText = (shown: string, text: string): boolean =>
  shown.slice(shown.indexOf("\n") + 1).trimEnd() === text.trimEnd();

/** Wrong on every commit whose id ends so: a part of them that the test counts itself. */
const oftenWrong = (isBad: boolean, seen: Seen): Vote => {
  const commit = /^Commit: ([0-9a-f]{40})$/mu.exec(seen.prompt)?.[1] ?? "";
  return isBad === /[0-7]$/u.test(commit) ? "approve" : "reject";
};
const honest = (isBad: boolean): Vote => (isBad ? "reject" : "approve");
const script = (routes: Readonly<Record<string, Scene>>): Script => ({
  name: "is judged",
  routes: Object.fromEntries(Object.entries(routes).map(([role, scene]) => [role, [scene]])),
});

async function withCommit(options: Parameters<typeof createFixture>[0]): Promise<{
  readonly one: Fixture;
  readonly changeId: string;
}> {
  votes.length = 0;
  const one = await createFixture({
    files: { "README.md": "a queue\n", ".hox/config.toml": config },
    ...options,
  });
  fixture = one;
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
  follow((after) => one.engine.execute("change.validateMore", { id, after }));
const calibration = (one: Fixture, id: string): Promise<readonly CalibrationView[]> =>
  follow((after) => one.engine.execute("calibration.more", { id, after }));

const ofChange = (change: string) => ({ change, goal: null, from: null });

/** What a person sees of the repository, and what lies beside it. */
const surroundings = async ({ repo }: Fixture) => ({
  graph: await repo.terminal(["log", "--no-graph", "-r", "all()", "-T", 'commit_id ++ "\\n"']),
  workspaces: await repo.terminal(["workspace", "list"]),
  checkouts: existsSync(join(repo.folder, "state", "checkouts"))
    ? readdirSync(join(repo.folder, "state", "checkouts"))
    : [],
});

test("a change is judged without a run, vote by vote, and nothing is left but the verdict", async () => {
  const { one, changeId } = await withCommit({
    script: script({ "validator-3": judge(() => "reject"), "validator-*": judge(honest) }),
  });
  const before = await surroundings(one);
  // As a host leaves it that is killed while a panel judges.
  mkdirSync(join(one.repo.folder, "state", "checkouts", "panel-killed"), { recursive: true });
  const { id } = await one.engine.execute("change.validate", ofChange(changeId));
  const seen = await validation(one, id);
  const last = seen.at(-1);
  expect(last).toMatchObject({
    end: { kind: "done" },
    title: "Drain a queue",
    goal: "Drain a queue\n\nAt most so many, and never less than one.",
    validation: { verdict: "approved", checks: [{ outcome: "passed" }] },
    trust: { measured: null, differs: [] },
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
  const kept = await one.engine.execute("change.lastValidation", { changeId });
  expect(kept).toEqual(last);
  expect((await one.repo.repository.change(changeId))?.commitId).toBe(kept?.commitId);
  expect(await one.engine.execute("change.lastValidation", { changeId: "zzzzzzzz" })).toBeNull();
});

test("its seats are told the decisions that it stands on and what the project says", async () => {
  const { one } = await withCommit({ script: script({ "validator-*": judge(honest) }) });
  const { repository } = one.repo;
  const told = await repository.newChange({
    parents: ["main"],
    description: "Say how to work",
    files: { "AGENTS.md": "Every queue says how many it holds at most.\n" },
  });
  const decided = await repository.newChange({
    parents: [told.changeId],
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
  const { id } = await one.engine.execute("change.validate", ofChange(changeId));
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

test("what cannot be judged is refused with the remedy, before anything is asked", async () => {
  const { one, changeId } = await withCommit({ script: script({ "validator-*": judge(honest) }) });
  const refused = (input: { change: string; from?: string; goal?: string }) =>
    one.engine.execute("change.validate", { goal: null, from: null, ...input }).then(
      () => null,
      (error: { message: string; remedy: string }) => `${error.message} ${error.remedy}`,
    );
  expect(await refused({ change: "nobody" })).toMatch(/nobody/);
  expect(await refused({ change: "none()" })).toMatch(/names no change.*hox log/);
  expect(await refused({ change: "all()" })).toMatch(/names several changes.*Name exactly one/);
  expect(await refused({ change: "root()" })).toMatch(/jj's root.*stands on it/);
  expect(await refused({ change: "prio(" })).toMatch(/character \d/);
  const { changeId: empty } = await one.repo.repository.newChange({
    parents: ["main"],
    description: "Empty",
  });
  expect(await refused({ change: empty })).toMatch(/Empty changes no file.*--from/);
  const nameless = await one.repo.repository.newChange({
    parents: ["main"],
    description: "",
    files: { "a.txt": "a\n" },
  });
  expect(await refused({ change: nameless.changeId })).toMatch(/does not say what it should do.*--goal/);
  expect(await refused({ change: changeId, from: changeId })).toMatch(/changes no file since then/);
  expect(one.standIn.requests()).toEqual([]);
});

test("a check that fails vetoes without a seat, a spent budget and a cancelled one end as they are", async () => {
  const { one, changeId } = await withCommit({
    script: script({ "validator-*": judge(honest) }),
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
  const vetoed = await one.engine.execute("change.validate", ofChange(bad.changeId));
  expect((await validation(one, vetoed.id)).at(-1)).toMatchObject({
    end: { kind: "done" },
    validation: { verdict: "vetoed" },
  });
  expect(one.standIn.requests()).toEqual([]);

  const before = await surroundings(one);
  const stalled = await one.engine.execute("change.validate", ofChange(changeId));
  await expect
    .poll(() => one.standIn.requests().filter(({ seen }) => seen.role !== "validator-3").length, {
      timeout: 60_000,
    })
    .toBe(2);
  await expect(one.engine.execute("change.validate", ofChange(changeId))).rejects.toThrow(
    "is being validated already",
  );
  await one.engine.execute("change.cancelValidate", { id: stalled.id });
  expect((await validation(one, stalled.id)).at(-1)?.end).toEqual({ kind: "cancelled" });
  expect(await surroundings(one)).toEqual(before);

  const poor = await one.engine.execute("change.validate", { ...ofChange(changeId), maxTokens: 1 });
  expect((await validation(one, poor.id)).at(-1)?.end).toEqual({ kind: "budget" });
  expect(await surroundings(one)).toEqual(before);
});

test("a calibration finds exactly how often each seat is wrong, goes on after it was cut off, and leaves nothing", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const { one, changeId } = await withCommit({
    files: {
      "README.md": "a queue\n",
      "AGENTS.md": "Every queue says how many it holds at most.\n",
      ".hox/config.toml": config,
    },
    script: script({
      "validator-1": judge(oftenWrong),
      "validator-2": judge(oftenWrong),
      "validator-3": judge(honest),
    }),
  });
  const input = { change: changeId, perKind: 1 };
  const before = await surroundings(one);
  const forecast = await one.engine.execute("calibration.forecast", input);
  // It has no test and handles no error in a block, and each other kind has a place.
  expect(forecast).toMatchObject({
    planted: 7,
    controls: 4,
    builtIn: ["dropped-test"],
    judged: 0,
    votes: 33,
  });
  expect(forecast.microDollars).toBeGreaterThan(0);
  expect(one.standIn.requests()).toEqual([]);

  const cut = await one.engine.execute("calibration.begin", input);
  for (let version = 0; ; ) {
    const progress = await one.engine.execute("calibration.more", { id: cut.id, after: version });
    version = progress.version;
    if (progress.value.samples.some(({ judged }) => judged !== null)) break;
  }
  await one.reopen();
  const left = await one.engine.execute("calibration.last");
  expect(left).toMatchObject({ id: cut.id, measuredAt: null, end: { kind: "cancelled" } });
  const judgedBefore = left?.samples.filter(({ judged }) => judged !== null).length ?? 0;
  expect(judgedBefore).toBeGreaterThan(0);
  expect(await one.engine.execute("calibration.forecast", input)).toMatchObject({ judged: judgedBefore });

  const { id } = await one.engine.execute("calibration.begin", input);
  expect(id).toBe(cut.id);
  const last = (await calibration(one, id)).at(-1);
  expect(last?.end).toEqual({ kind: "done" });
  expect(last?.samples.every(({ judged }) => judged !== null)).toBe(true);
  // What a seat that judges in earnest is told of the project, one is told that is measured; the sample has no project.
  const prompts = one.standIn.requests().map(({ seen }) => seen.prompt);
  const isTold = (goal: string): readonly boolean[] =>
    prompts
      .filter((prompt) => prompt.includes("[VALIDATE]") && prompt.includes(goal))
      .map((prompt) => prompt.includes("Every queue says how many it holds at most."));
  expect(isTold("At most so many, and never less than one.")).toContain(true);
  expect(new Set(isTold(builtInSample.description.split("\n")[0] ?? ""))).toEqual(new Set([false]));
  // The check stops the one that takes the error's word away, and no seat was asked.
  const stopped = last?.samples.filter(({ judged }) => judged?.verdict === "vetoed") ?? [];
  expect(stopped.map(({ planted }) => planted)).toEqual(["removed-check"]);

  // As the judges themselves counted: what was on its way when it was cut off was judged again, as another commit.
  const line = (isBad: boolean, cast: Readonly<Record<string, SampleVote>>): string =>
    `${isBad ? "bad" : "good"} ${Object.keys(cast).length} ${Object.entries(cast).sort().join(" ")}`;
  const counted = [...Map.groupBy(votes, ({ commit }) => commit).values()].map((all) =>
    line(
      all.some(({ isBad }) => isBad),
      Object.fromEntries(all.map(({ seat, vote }) => [seat, vote])),
    ),
  );
  const told = (last?.samples ?? []).flatMap(({ planted, judged }) =>
    judged === null || judged.verdict === "vetoed" ? [] : [line(planted !== null, judged.votes)],
  );
  expect(told).toHaveLength(10);
  for (const one of new Set(told))
    expect(told.filter((other) => other === one).length).toBeLessThanOrEqual(
      counted.filter((other) => other === one).length,
    );
  const figures = last?.figures;
  expect(figures?.seats[2]).toMatchObject({
    falseApprovals: { count: 0 },
    falseRejections: { count: 0 },
    lost: 0,
  });
  expect(figures?.seats[0]?.falseApprovals).toEqual(figures?.seats[1]?.falseApprovals);
  expect(figures?.seats[0]?.falseRejections).toEqual(figures?.seats[1]?.falseRejections);
  // Two that are wrong together outvote the third each time.
  expect(figures?.falseApprovals).toEqual(figures?.seats[0]?.falseApprovals);
  expect(figures).toEqual(
    figuresOf(
      ["validator-1", "validator-2", "validator-3"],
      (last?.samples ?? []).flatMap(({ planted, judged }) =>
        judged === null ? [] : [{ planted, ...judged }],
      ),
    ),
  );
  expect(figures).toMatchObject({ vetoed: 1, undecided: 0 });
  expect(await surroundings(one)).toEqual({ ...before, checkouts: [] });

  // No judge was told what it sat for.
  for (const { body } of one.standIn.requests())
    expect(JSON.stringify(body)).not.toMatch(/calibrat|planted/iu);

  // From now on a verdict is told with it.
  const judged = await one.engine.execute("change.validate", ofChange(changeId));
  expect((await validation(one, judged.id)).at(-1)?.trust).toMatchObject({
    differs: [],
    measured: { planted: 7, builtIn: 1, figures },
  });
  const [, again] = await Promise.all([
    one.engine.execute("calibration.forecast", input),
    one.engine.execute("calibration.forecast", { ...input, perKind: 2 }),
  ]);
  expect(again).toMatchObject({ judged: 0 });
  expect(again.paidVotes).toBeGreaterThan(0);
});
