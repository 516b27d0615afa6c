import { expect, test } from "vitest";
import type { StoresView } from "#shared/contract/commands/report.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { type MeasuredWorker, notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { score } from "#shared/domain/validation/score.ts";
import { metricsLines, reportLines, storesLines } from "./metrics.ts";

const spent = (microDollars: number, input: number) => ({
  usage: { ...noUsage, input },
  microDollars,
  requests: 2,
});
const counted = (worker: string): MeasuredWorker => ({
  ...notMeasured(worker),
  toolCalls: { read_file: 3, write_file: 1 },
  failedCalls: 1,
  msByPhase: { thinking: 2_000, tools: 500, waiting: 90_000 },
  alignRequests: 2,
  spent: spent(0, 0),
});

const perfect = score({
  approvals: 2,
  rejections: 0,
  checksPassed: 1,
  checksFailed: 0,
  tasksPlanned: 1,
  tasksDone: 1,
  tasksMissing: 0,
  milliseconds: 1_000,
  expectedMilliseconds: null,
  toolCalls: 4,
  failedCalls: 0,
  microDollars: 0,
  expectedMicroDollars: null,
  earlierRuns: 0,
});

test("each worker's account is on a separate line, followed by the overhead", () => {
  const run = {
    goal: "Keep users",
    stage: "complete",
    workers: [
      { name: "O-A-1", role: "orchestrator" },
      { name: "agent-1", role: "agent" },
    ],
    budget: {
      limitTokens: null,
      limitMicroDollars: null,
      spent: spent(400_000, 4_000),
      byWorker: { "O-A-1": spent(100_000, 1_000), "agent-1": spent(300_000, 3_000) },
    },
    metrics: [
      counted("O-A-1"),
      {
        ...counted("agent-1"),
        votes: { passed: 3, failed: 1 },
        checks: { fast: { runs: 8, failed: 1, ms: 4_000 }, slow: { runs: 2, failed: 0, ms: 61_000 } },
      },
    ],
    score: perfect,
    workerScores: { "agent-1": perfect },
  } as unknown as RunView;
  const lines = metricsLines(run);
  expect(lines.slice(0, 4)).toEqual([
    "Keep users (complete)",
    "worker   role          dollars  tokens  calls  failed  questions  conflicts   time  thinking  tools  votes  score",
    "O-A-1    orchestrator  $0.1000   1,000      4       1          2          0  2.5 s     2.0 s  0.5 s      –      –",
    "agent-1  agent         $0.3000   3,000      4       1          2          0  2.5 s     2.0 s  0.5 s    3/4   1.00",
  ]);
  expect(lines.slice(4)).toEqual([
    "Checks: 8 fast in 4.0 s, 1 failed; 2 slow in 61 s (4 fast to 1 slow).",
    "Spent $0.40, 4,000 tokens.",
    "Overhead: 25% of cost, 25% of tokens (orchestrator $0.10).",
    "Score 1.00",
    "  quality       1.00 × 0.44  2 of 2 votes for it, 1 of 1 check passed",
    "  completeness  1.00 × 0.38  1 of 1 task done",
    "  time             – × 0.00  1.0 s, not counted: no earlier complete run to compare with",
    "  efficiency    1.00 × 0.19  0 of 4 calls failed; $0.0000, not counted: no earlier complete run to compare with",
  ]);
});

test("a report is a table with its total; a long or multi-line title is one short line", () => {
  const figures = {
    runs: 1,
    complete: 1,
    microDollars: 250_000,
    tokens: 12_345,
    milliseconds: 754_000,
    toolCalls: 9,
    failedCalls: 1,
    iterations: 6,
    conflicts: 2,
    questions: 0,
    discardedIterations: 3,
    repairRounds: 1,
    reworkedTasks: 1,
    fastChecks: 12,
    fastCheckMilliseconds: 34_000,
    slowChecks: 3,
    slowCheckMilliseconds: 90_000,
    score: 0.876,
  };
  const lines = reportLines({
    by: "run",
    rows: [{ key: "r", startedAt: 0, title: `Keep\nusers ${"and more ".repeat(9)}`, ...figures }],
    total: figures,
    from: 0,
    to: 86_400_000,
    leftOut: 2,
  });
  expect(lines[0]).toBe("1 run from 1970-01-01 to 1970-01-02; 2 older runs not shown");
  expect(lines).toHaveLength(4);
  expect(lines[1]).toMatch(
    /^run +runs +complete +dollars +tokens +time +failed +iterations +discarded +conflicts/u,
  );
  expect(lines[2]).toMatch(/\$0\.2500 +12,345 +13 min +1 +6 +3 +2 +1 +1 +12:3 +0\.88$/u);
  expect(lines[3]).toMatch(/^total +1 /u);
  const empty = { ...figures, runs: 0 };
  expect(reportLines({ by: "run", rows: [], total: empty, from: null, to: null, leftOut: 0 })).toEqual([
    "No runs in this repository yet.",
  ]);
});

test("differing stores are listed figure by figure, with a note on what was left out", () => {
  const difference = {
    run: "r1",
    worker: "agent-1",
    changeId: "kkmpptxzrspxrzom",
    figure: null,
    onChange: null,
    inDatabase: null,
  } as const;
  const view: StoresView = {
    elsewhere: 2,
    runs: 1,
    changes: 60,
    same: 1,
    asConfigured: 0,
    differences: [
      { ...difference, kind: "differs", figure: "failures", onChange: 2, inDatabase: 3 },
      { ...difference, worker: null, kind: "not-on-change" },
      { ...difference, kind: "not-in-database" },
      ...Array.from({ length: 50 }, () => ({ ...difference, kind: "unreadable" as const })),
    ],
    databaseMs: 3,
    trailerMs: 20,
  };
  const lines = storesLines(view);
  expect(lines[0]).toBe(
    "60 changes of 1 complete run: 1 identical in both stores, 0 in one store as configured, 53 differences.",
  );
  expect(lines[1]).toBe("r1 agent-1 kkmpptxz: failures is 2 on the change, 3 in the database");
  expect(lines[2]).toBe("r1 result kkmpptxz: in the database, not on the change");
  expect(lines).toHaveLength(54);
  expect(lines.at(-3)).toBe("and 3 more; use --json for all");
  expect(lines.at(-2)).toBe(
    "2 other changes have figures of runs that were not recorded here: `hox log -r 'metrics()'` lists them.",
  );
});
