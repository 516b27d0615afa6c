import fc from "fast-check";
import { expect, it } from "vitest";
import { noUsage, type Spent } from "../spending/usage.ts";
import {
  type ReportedRun,
  type ReportedWorker,
  report,
  reportColumns,
  reportCsv,
  reportKeys,
} from "./report.ts";

const spent = (microDollars: number, input = 0): Spent => ({
  usage: { ...noUsage, input },
  microDollars,
  requests: 1,
});
const worker = (name: string, more: Partial<ReportedWorker> = {}): ReportedWorker => ({
  worker: name,
  title: `Task of ${name}`,
  phase: "phase 1",
  isAgent: true,
  spent: new Map(),
  milliseconds: 0,
  toolCalls: 0,
  failedCalls: 0,
  iterations: 0,
  fastChecks: 0,
  fastCheckMilliseconds: 0,
  slowChecks: 0,
  slowCheckMilliseconds: 0,
  conflicts: 0,
  questions: 0,
  isDiscarded: false,
  isReworked: false,
  ...more,
});
const run = (id: string, more: Partial<ReportedRun> = {}): ReportedRun => ({
  run: id,
  goal: `Goal of ${id}`,
  startedAt: 1_000,
  startedBy: null,
  isComplete: true,
  score: null,
  repairRounds: 0,
  patterns: [],
  workers: [],
  ...more,
});

const two = [
  run("r2", {
    startedAt: 2_000,
    score: 0.5,
    repairRounds: 2,
    patterns: ["types-first", "ask-early"],
    workers: [
      worker("O-A-1", {
        phase: "orchestration",
        isAgent: false,
        spent: new Map([["opus", spent(50, 7)]]),
        milliseconds: 9,
      }),
      worker("agent-1", {
        spent: new Map([
          ["sonnet", spent(30)],
          ["haiku", spent(5)],
        ]),
        iterations: 4,
        isReworked: true,
      }),
      worker("agent-2", {
        phase: "phase 2",
        spent: new Map([["sonnet", spent(10)]]),
        iterations: 3,
        isDiscarded: true,
        conflicts: 1,
      }),
    ],
  }),
  run("r1", {
    isComplete: false,
    score: 0.9,
    workers: [worker("agent-1", { spent: new Map([["haiku", spent(1)]]), questions: 2 })],
  }),
];
it("adds up what the runs of each person cost, and those of the one user apart", () => {
  const of = (id: string, startedBy: string | null, microDollars: number) =>
    run(id, { startedBy, workers: [worker("agent-1", { spent: new Map([["opus", spent(microDollars)]]) })] });
  const runs = [of("r3", "Ann", 5), of("r2", "Bob", 30), of("r1", "Ann", 2), of("r0", null, 1)];
  expect(
    report(runs, "person").rows.map(({ key, runs: count, microDollars }) => [key, count, microDollars]),
  ).toEqual([
    ["Bob", 1, 30],
    ["Ann", 2, 7],
    ["(owner)", 1, 1],
  ]);
});

const rowsBy = (by: (typeof reportKeys)[number]) =>
  Object.fromEntries(report(two, by).rows.map((row) => [row.key, row]));

it("counts costs by the requested model, and work by the one with most costs", () => {
  const { opus, sonnet, haiku } = rowsBy("model");
  expect(opus).toMatchObject({ runs: 1, microDollars: 50, tokens: 7, milliseconds: 9, iterations: 0 });
  expect(sonnet).toMatchObject({ microDollars: 40, iterations: 7, discardedIterations: 3, reworkedTasks: 1 });
  // Of agent-1's the money alone: it spent more elsewhere.
  expect(haiku).toMatchObject({ runs: 2, complete: 1, microDollars: 6, iterations: 0, questions: 2 });
  expect(report(two, "model").rows.map(({ key }) => key)).toEqual(["opus", "sonnet", "haiku"]);
});

it("puts a run into a row for each pattern, and one without any into a separate row; the total counts it once", () => {
  const rows = rowsBy("pattern");
  expect(Object.keys(rows).sort()).toEqual(["ask-early", "no pattern", "types-first"]);
  expect(rows["types-first"]).toMatchObject({ repairRounds: 2, microDollars: 95, score: 0.5 });
  expect(rows["no pattern"]).toMatchObject({ runs: 1, complete: 0, microDollars: 1 });
  expect(report(two, "pattern").total).toMatchObject({
    runs: 2,
    complete: 1,
    microDollars: 96,
    repairRounds: 2,
    score: 0.7,
  });
});

it("names runs by their goal and agents by their task, and tells phases apart", () => {
  expect(report(two, "run").rows.map(({ key, title, startedAt }) => [key, title, startedAt])).toEqual([
    ["r2", "Goal of r2", 2_000],
    ["r1", "Goal of r1", 1_000],
  ]);
  expect(Object.keys(rowsBy("phase")).sort()).toEqual(["orchestration", "phase 1", "phase 2"]);
  expect(rowsBy("agent")["r2/agent-2"]).toMatchObject({
    title: "Task of agent-2",
    conflicts: 1,
    repairRounds: 0,
  });
  expect(report(two, "run", 3)).toMatchObject({ from: 1_000, to: 2_000, leftOut: 3 });
  expect(report([], "run")).toMatchObject({
    rows: [],
    from: null,
    to: null,
    total: { runs: 0, score: null },
  });
});

it("sums to the total by agent, with one row for all without an agent", () => {
  const { rows, total } = report(two, "agent");
  for (const figure of [
    "microDollars",
    "tokens",
    "conflicts",
    "questions",
    "iterations",
    "repairRounds",
  ] as const)
    expect(
      rows.reduce((sum, row) => sum + row[figure], 0),
      figure,
    ).toBe(total[figure]);
  expect(rows.map(({ key }) => key)).toContain("not by agents");
});

const anyRun = fc.record({
  run: fc.uuid(),
  goal: fc.string(),
  startedBy: fc.constantFrom(null, "Ann", "Bob"),
  startedAt: fc.nat(),
  isComplete: fc.boolean(),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  repairRounds: fc.nat(5),
  patterns: fc.subarray(["a", "b", "constructor", "__proto__"]),
  workers: fc.uniqueArray(
    fc.record({
      worker: fc.constantFrom("agent-1", "agent-2", "O-A-1", "integrator"),
      title: fc.string(),
      phase: fc.constantFrom("phase 1", "phase 2", "orchestration", "toString"),
      isAgent: fc.boolean(),
      spent: fc
        .array(fc.tuple(fc.constantFrom("opus", "sonnet", "constructor"), fc.nat(1_000_000)))
        .map((models) => new Map(models.map(([model, money]) => [model, spent(money, money)]))),
      milliseconds: fc.nat(10_000),
      toolCalls: fc.nat(50),
      failedCalls: fc.nat(50),
      iterations: fc.nat(20),
      fastChecks: fc.nat(50),
      fastCheckMilliseconds: fc.nat(50),
      slowChecks: fc.nat(50),
      slowCheckMilliseconds: fc.nat(50),
      conflicts: fc.nat(5),
      questions: fc.nat(5),
      isDiscarded: fc.boolean(),
      isReworked: fc.boolean(),
    }),
    { selector: ({ worker }) => worker },
  ),
});
const anyRuns = fc.uniqueArray(anyRun, { selector: ({ run }) => run, maxLength: 6 });

it("loses nothing and counts nothing twice, for any grouping", () => {
  fc.assert(
    fc.property(anyRuns, fc.constantFrom("run", "model", "phase", "person"), (runs, by) => {
      const { rows, total } = report(runs, by);
      for (const column of [
        "microDollars",
        "tokens",
        "milliseconds",
        "fastChecks",
        "fastCheckMilliseconds",
        "slowChecks",
        "slowCheckMilliseconds",
        "toolCalls",
        "iterations",
        "conflicts",
        "discardedIterations",
        "reworkedTasks",
      ] as const)
        expect(rows.reduce((sum, row) => sum + row[column], 0)).toBe(total[column]);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    }),
  );
});

it("does not depend on the order of the workers", () => {
  fc.assert(
    fc.property(anyRuns, fc.constantFrom(...reportKeys), (runs, by) => {
      const turned = runs.map((one) => ({ ...one, workers: one.workers.toReversed() }));
      const sorted = (view: ReturnType<typeof report>) =>
        [...view.rows].sort((a, b) => (a.key < b.key ? -1 : 1));
      // Which of equal titles stands first is the only thing that may differ.
      const figures = (view: ReturnType<typeof report>) => sorted(view).map(({ title: _, ...row }) => row);
      expect(figures(report(turned, by))).toEqual(figures(report(runs, by)));
    }),
  );
});

it("writes CSV that a spreadsheet reads as text, with a cell for each column", () => {
  const csv = reportCsv(report([run("r1", { goal: '=HYPERLINK("x"), and\nmore' })], "run"));
  const [names, ...rest] = csv.split("\n");
  expect(names).toBe(
    "run,title,runs,complete,micro_dollars,tokens,milliseconds,tool_calls,failed_calls,iterations,conflicts,questions,discarded_iterations,repair_rounds,reworked_tasks,score,fast_checks,fast_check_milliseconds,slow_checks,slow_check_milliseconds",
  );
  expect(rest).toEqual([`r1,"'=HYPERLINK(""x""), and␊more",1,1,0,0,0,0,0,0,0,0,0,0,0,,0,0,0,0`, ""]);
  expect(names?.split(",")).toHaveLength(reportColumns.length + 2);
});
