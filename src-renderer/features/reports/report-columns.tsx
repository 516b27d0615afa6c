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

const runs: ReportColumn = {
  id: "runs",
  name: "Runs",
  meaning: "Runs included in this row",
  value: (row) => row.runs,
  shown: (row) => count(row.runs),
};

const everyColumn: readonly ReportColumn[] = [
  {
    id: "complete",
    name: "Complete",
    meaning: "Completed runs (not stopped or failed)",
    value: (row) => (row.runs === 0 ? undefined : row.complete / row.runs),
    shown: (row) => (row.runs === 1 ? (row.complete === 1 ? "yes" : "no") : percent(row.complete / row.runs)),
  },
  {
    id: "cost",
    name: "Cost",
    meaning: "Cost of model requests",
    value: (row) => row.microDollars,
    shown: (row) => dollars(row.microDollars),
  },
  {
    id: "tokens",
    name: "Tokens",
    meaning: "Input, output and cached tokens",
    value: (row) => row.tokens,
    shown: (row) => tokens(row.tokens),
  },
  {
    id: "time",
    name: "Time",
    meaning: "Working time of all agents together, without waiting for you",
    value: (row) => row.milliseconds,
    shown: (row) => (row.milliseconds === 0 ? "–" : duration(row.milliseconds)),
  },
  {
    id: "calls",
    name: "Calls",
    meaning: "Tool calls",
    value: (row) => row.toolCalls,
    shown: (row) => count(row.toolCalls),
  },
  {
    id: "failed",
    name: "Failed",
    meaning: "Share of tool calls that failed",
    value: (row) => (row.toolCalls === 0 ? undefined : row.failedCalls / row.toolCalls),
    shown: (row) => (row.toolCalls === 0 ? "–" : percent(row.failedCalls / row.toolCalls)),
  },
  {
    id: "iterations",
    name: "Iterations",
    meaning: "Iterations of all agents",
    value: (row) => row.iterations,
    shown: (row) => count(row.iterations),
  },
  {
    id: "conflicts",
    name: "Conflicts",
    meaning: "Conflicts in files or with a decision",
    value: (row) => row.conflicts,
    shown: (row) => count(row.conflicts),
  },
  {
    id: "questions",
    name: "Questions",
    meaning: "Questions asked by agents",
    value: (row) => row.questions,
    shown: (row) => count(row.questions),
  },
  {
    id: "rework",
    name: "Rework",
    meaning: "Tasks sent back, restarted or reassigned, plus repair rounds after a rejection",
    value: (row) => row.reworkedTasks + row.repairRounds,
    shown: (row) => count(row.reworkedTasks + row.repairRounds),
  },
  {
    id: "discarded",
    name: "Discarded",
    meaning: "Share of iterations whose work was discarded",
    value: (row) => (row.iterations === 0 ? undefined : row.discardedIterations / row.iterations),
    shown: (row) => (row.discardedIterations === 0 ? "–" : percent(row.discardedIterations / row.iterations)),
  },
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
  agent: "Agent",
};

/** What tells rows of the same title apart: when the run began, and which of its agents it was. */
export function formatSubtitle(by: ReportKey, { key, startedAt }: ReportRow): string | null {
  if (startedAt === null) return null;
  const began = new Date(startedAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return by === "agent" ? `${key.slice(key.indexOf("/") + 1)} · ${began}` : began;
}
