import type { ReportFigures, ReportKey, ReportRow } from "#shared/domain/report/report.ts";
import { dollars, duration, tokens } from "../../kit/amounts.ts";

/** One figure of a row: how it is sorted, how it is written, and what it means. */
export interface ReportColumn {
  readonly id: string;
  readonly name: string;
  /** What is counted, as help. */
  readonly meaning: string;
  /** Undefined without a value; such rows are last in every sorting. */
  readonly value: (figures: ReportFigures) => number | undefined;
  readonly shown: (figures: ReportFigures) => string;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const count = (value: number): string => (value === 0 ? "–" : value.toLocaleString("en"));

/** A figure that is written as it is sorted by; nothing for none. */
const figure = (
  id: string,
  name: string,
  meaning: string,
  value: (row: ReportFigures) => number,
  written: (value: number) => string = count,
): ReportColumn => ({ id, name, meaning, value, shown: (row) => written(value(row)) });

/** A share of something that a row may have none of. */
const share = (
  id: string,
  name: string,
  meaning: string,
  part: (row: ReportFigures) => number,
  whole: (row: ReportFigures) => number,
): ReportColumn => ({
  ...{ id, name, meaning },
  value: (row) => (whole(row) === 0 ? undefined : part(row) / whole(row)),
  shown: (row) => (whole(row) === 0 ? "–" : percent(part(row) / whole(row))),
});

const runs = figure("runs", "Runs", "Runs included in this row", (row) => row.runs);
const complete = share(
  "complete",
  "Complete",
  "Completed runs (not stopped or failed)",
  (row) => row.complete,
  (row) => row.runs,
);

const everyColumn: readonly ReportColumn[] = [
  {
    ...complete,
    shown: (row) => (row.runs === 1 ? (row.complete === 1 ? "yes" : "no") : complete.shown(row)),
  },
  figure("cost", "Cost", "Cost of model requests", (row) => row.microDollars, dollars),
  figure("tokens", "Tokens", "Input, output and cached tokens", (row) => row.tokens, tokens),
  figure(
    "time",
    "Time",
    "Working time of all agents together, without waiting for you",
    (row) => row.milliseconds,
    (ms) => (ms === 0 ? "–" : duration(ms)),
  ),
  figure("calls", "Calls", "Tool calls", (row) => row.toolCalls),
  share(
    "failed",
    "Failed",
    "Share of tool calls that failed",
    (row) => row.failedCalls,
    (row) => row.toolCalls,
  ),
  figure("iterations", "Iterations", "Iterations of all agents", (row) => row.iterations),
  figure("conflicts", "Conflicts", "Conflicts in files or with a decision", (row) => row.conflicts),
  figure("questions", "Questions", "Questions asked by agents", (row) => row.questions),
  figure(
    "rework",
    "Rework",
    "Tasks sent back, restarted or reassigned, plus repair rounds after a rejection",
    (row) => row.reworkedTasks + row.repairRounds,
  ),
  share(
    "discarded",
    "Discarded",
    "Share of iterations whose work was discarded",
    (row) => row.discardedIterations,
    (row) => row.iterations,
  ),
  {
    id: "score",
    name: "Score",
    meaning: "Mean of the runs' scores, from 0 to 1",
    value: (row) => row.score ?? undefined,
    shown: (row) => row.score?.toFixed(2) ?? "–",
  },
];

/** A row of one run, or of one agent, counts none. */
export const columnsOf = (by: ReportKey): readonly ReportColumn[] =>
  by === "run" || by === "agent" ? everyColumn : [runs, ...everyColumn];

/** The row kinds of a report, as its first column's header. */
export const keyNames: Readonly<Record<ReportKey, string>> = {
  run: "Run",
  model: "Model",
  phase: "Phase",
  pattern: "Pattern",
  person: "Person",
  agent: "Agent",
};

/** What tells rows of the same title apart: when the run began, and which of its agents it was. */
export function formatSubtitle(by: ReportKey, { key, startedAt }: ReportRow): string | null {
  if (startedAt === null) return null;
  const began = new Date(startedAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return by === "agent" ? `${key.slice(key.indexOf("/") + 1)} · ${began}` : began;
}
