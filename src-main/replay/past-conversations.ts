/** The state of conversations at a moment, without reading all of their rows each time. */
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { type MeasuredWorker, notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { countUpTo, keptStates, risingTimes } from "#shared/run/reduce.ts";
import { withEntry } from "../metrics/collector.ts";
import type { Recording } from "./recording.ts";

interface PastConversation {
  readonly last: ConversationRow | null;
  /** The last row of a current activity. */
  readonly act: ConversationRow | null;
  /** A judge has no status: it is done when it has voted. */
  readonly hasVoted: boolean;
  /** Figures from its rows; null: none. */
  readonly measured: MeasuredWorker | null;
}

export type PastConversations = ReturnType<typeof createPastConversations>;

/** Its activity lasts until its result: the usage of an answer, and the result of a call. */
const acts: ReadonlySet<ConversationRow["kind"]> = new Set([
  "prompt",
  "thinking",
  "text",
  "tool-call",
  "retry",
]);

export function createPastConversations({ conversations }: Pick<Recording, "conversations">) {
  const known = new Map<string, (at: number) => PastConversation>();
  return {
    /** Workers with entries in the run. */
    workers: Object.keys(conversations) as readonly string[],
    of(worker: string, at: number): PastConversation {
      const before = known.get(worker);
      if (before) return before(at);
      const rows = Object.hasOwn(conversations, worker) ? (conversations[worker] ?? []) : [];
      const made = pastConversation(worker, rows);
      known.set(worker, made);
      return made(at);
    },
  };
}

function pastConversation(
  worker: string,
  rows: readonly ConversationRow[],
): (at: number) => PastConversation {
  const times = risingTimes(rows);
  const none = notMeasured(worker);
  const measuredAfter = keptStates(rows, none, withEntry);
  const vote = rows.findIndex(isVote);
  return (at) => {
    const count = countUpTo(times, at);
    const measured = measuredAfter(count);
    return {
      last: rows[count - 1] ?? null,
      act: lastAct(rows, count),
      hasVoted: vote >= 0 && vote < count,
      measured: measured === none ? null : measured,
    };
  };
}

function lastAct(rows: readonly ConversationRow[], count: number): ConversationRow | null {
  for (let place = count - 1; place >= 0; place--) {
    const row = rows[place];
    if (row && acts.has(row.kind)) return row;
  }
  return null;
}

const isVote = (row: ConversationRow): boolean =>
  row.kind === "tool-result" && row.tool === "cast_vote" && row.error === null;
