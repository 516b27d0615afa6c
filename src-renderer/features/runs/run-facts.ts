import type { RunListEntry } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { dollars, duration, tokens } from "../../kit/amounts.ts";
import type { Tone } from "../../kit/badge.tsx";

type Ended = Pick<RunListEntry, "stage" | "landed" | "endedBy" | "waiting" | "isWatch">;

/** How a run came out, in a word. */
export function outcomeOf({ stage, landed, endedBy, waiting, isWatch }: Ended): {
  readonly text: string;
  readonly tone: Tone;
} {
  if (landed && !landed.isTakenBack) return { text: `landed on ${landed.bookmark}`, tone: "success" };
  if (landed) return { text: "landing undone", tone: "warning" };
  if (stage === "failed") return { text: "failed", tone: "danger" };
  if (stage === "stopped" && endedBy === "restore")
    return { text: "restored to an earlier state", tone: "warning" };
  if (isWatch === true && stage === "stopped") return { text: "ended", tone: "neutral" };
  if (stage === "stopped") return { text: "stopped", tone: "warning" };
  if (stage === "complete") return { text: "complete", tone: "success" };
  if (waiting > 0) return { text: "waiting for you", tone: "warning" };
  return { text: stage, tone: "info" };
}

/** @param now ms since 1970, for an active run */
export const lengthOf = (
  { startedAt, endedAt }: Pick<RunListEntry, "startedAt" | "endedAt">,
  now: number,
): number => (endedAt ?? now) - startedAt;

/** Whether a run matches a search: all words are in its goal, model, agents, outcome or id. */
export function isMeant(run: RunListEntry, search: string): boolean {
  const text = [run.goal, run.model, run.id, outcomeOf(run).text, run.stage, ...run.agents]
    .join(" ")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

/** What it did, cost and took, in one line. */
export const figuresLine = (run: RunListEntry, now: number): string =>
  [
    run.isWatch ? "session reviews" : `${run.tasksDone} of ${counted(run.tasks, "task")}`,
    dollars(run.microDollars),
    duration(lengthOf(run, now)),
    ...(run.isQuick ? ["quick"] : []),
    ...(run.rehearsal === null ? [] : ["rehearsal"]),
  ].join(" · ");

export interface ComparedFigure {
  readonly name: string;
  readonly values: readonly [string, string];
  /** By how much the second is more than the first, in words; empty where that says nothing. */
  readonly difference: string;
  /** Which of the two is better; null: neither, or undecidable. */
  readonly better: 0 | 1 | null;
}

interface Figure {
  readonly name: string;
  readonly of: (run: RunListEntry) => number | null;
  readonly text: (value: number) => string;
  readonly isMoreBetter?: boolean;
}

/** Two runs side by side, figure by figure. */
export function comparedFigures(
  one: RunListEntry,
  other: RunListEntry,
  now: number,
): readonly ComparedFigure[] {
  const count = (value: number): string => value.toLocaleString("en");
  const figures: readonly Figure[] = [
    { name: "Cost", of: (run) => run.microDollars, text: dollars },
    { name: "Tokens", of: (run) => run.tokens, text: tokens },
    { name: "Duration", of: (run) => lengthOf(run, now), text: duration },
    { name: "Active time", of: (run) => run.workedMs, text: duration },
    { name: "Tasks done", of: (run) => run.tasksDone, text: count, isMoreBetter: true },
    { name: "Agents", of: (run) => run.agents.length, text: count },
    { name: "Conflicts", of: (run) => run.conflicts, text: count },
    { name: "Questions", of: (run) => run.questions, text: count },
    { name: "Reworked tasks", of: (run) => run.reworkedTasks, text: count },
    { name: "Repair rounds", of: (run) => run.repairRounds, text: count },
    { name: "Score", of: (run) => run.score, text: (value) => value.toFixed(2), isMoreBetter: true },
  ];
  return figures.map(({ name, of, text, isMoreBetter = false }) => {
    const [a, b] = [of(one), of(other)];
    const values = [a === null ? "–" : text(a), b === null ? "–" : text(b)] as const;
    if (a === null || b === null || a === b) return { name, values, difference: "", better: null };
    const share =
      a === 0 ? "" : ` (${b > a ? "+" : "−"}${Math.round((Math.abs(b - a) / Math.abs(a)) * 100)} %)`;
    return {
      name,
      values,
      difference: `${b > a ? "+" : "−"}${text(Math.abs(b - a))}${share}`,
      better: name === "Agents" || name === "Questions" ? null : b > a === isMoreBetter ? 1 : 0,
    };
  });
}
