/** The turns of a transcript, which can be forked. */
import type { ConversationRow } from "./conversation.ts";

/** One answer of the model, with what it called. */
export interface TranscriptTurn {
  readonly iteration: number;
  /** Counted from 1 in its iteration. */
  readonly turn: number;
  /** Index of the row that says what it cost, and of its last one. */
  readonly answered: number;
  readonly row: number;
  /** Ids of its calls. */
  readonly calls: readonly string[];
}

/**
 * The answers of each iteration's last conversation, in order. A restarted iteration has a new conversation,
 * and the old one's turns do not count; neither does an answer that broke off and was retried.
 */
export function turnsOf(rows: readonly ConversationRow[]): readonly TranscriptTurn[] {
  const byIteration = new Map<number, TranscriptTurn[]>();
  let now: TranscriptTurn[] | null = null;
  let iteration = 0;
  for (const row of rows) {
    if (row.kind === "prompt") {
      iteration = row.iteration;
      now = [];
      byIteration.set(iteration, now);
      continue;
    }
    if (now === null) continue;
    const last = now.at(-1);
    if (row.kind === "usage")
      now.push({ iteration, turn: now.length + 1, answered: row.index, row: row.index, calls: [] });
    else if (row.kind === "retry" && last?.calls.length === 0 && last.row === row.index - 1) now.pop();
    else if (last && (row.kind === "tool-call" || row.kind === "tool-result"))
      now[now.length - 1] = {
        ...last,
        row: row.index,
        calls: row.kind === "tool-call" ? [...last.calls, row.id] : last.calls,
      };
  }
  return [...byIteration.entries()].sort(([one], [other]) => one - other).flatMap(([, turns]) => turns);
}
