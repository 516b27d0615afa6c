/** Everything that was recorded of one run: plain JSON, from which its views are made again at any moment of it. */
import type { Stage } from "#shared/contract/views/stage.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Change, Refs } from "#shared/graph/change.ts";
import type { RecordedEvent } from "#shared/run/events.ts";
import type { Config } from "../config/config-interface.ts";
import type { JournalReader } from "../journal/read-journal.ts";
import type { JournalCard, JournalSpending, RecordedInput } from "../journal/run-rows.ts";

/** The run's part of the graph from one operation to the next. */
export interface RecordedGraph {
  /** ms since 1970. */
  readonly at: number;
  readonly operation: string;
  /** Places in `changes`, in log order. */
  readonly rows: readonly number[];
  readonly refs: Refs;
}

/** The graph of the run's time, for where jj does not have it. */
export interface RecordedGraphs {
  /** Every row that any of them shows, once. */
  readonly changes: readonly Change[];
  /** The first the first. */
  readonly graphs: readonly RecordedGraph[];
}

export const noGraphs: RecordedGraphs = { changes: [], graphs: [] };

export interface Recording {
  readonly run: string;
  readonly input: RecordedInput;
  readonly stage: Stage;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The repository's configuration as it held last. */
  readonly config: Config;
  /** Their times never go back. */
  readonly moments: readonly RecordedEvent[];
  /** Worker → its transcript. */
  readonly conversations: Readonly<Record<string, readonly ConversationRow[]>>;
  readonly spending: readonly JournalSpending[];
  readonly cards: readonly JournalCard[];
  /** Empty where jj still has the operations of that time. */
  readonly graphs: RecordedGraphs;
}

/** A run that cannot be replayed, and what to do. */
export class ReplayRefusal extends Error {
  override readonly name = "ReplayRefusal";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

type Source = Pick<JournalReader, "runs" | "config" | "events" | "conversations" | "requests" | "cards">;

/**
 * Reads what a journal has of a run.
 *
 * @param name its id, the beginning of one, or `last`
 * @param config what holds where the journal kept none
 * @throws ReplayRefusal where no run, or more than one, is called so
 */
export function readRecording(journal: Source, name: string, config: Config): Recording {
  const row = findRun(journal, name);
  return {
    run: row.id,
    input: row.input,
    stage: row.stage,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    config: { ...config, ...journal.config<Config>(row.id) },
    moments: readMoments(journal, row.id),
    conversations: journal.conversations(row.id),
    spending: journal.requests(row.id),
    cards: journal.cards(row.id),
    graphs: noGraphs,
  };
}

function findRun(journal: Pick<Source, "runs">, name: string): ReturnType<Source["runs"]>[number] {
  const runs = journal.runs();
  const [newest] = runs;
  if (!newest) throw new ReplayRefusal("No runs in this repository yet.", 'Start one: hox run --goal "…"');
  if (name === "last") return newest;
  const exact = runs.find(({ id }) => id === name);
  if (exact) return exact;
  const [found, ...others] = runs.filter(({ id }) => id.startsWith(name));
  if (found && others.length === 0) return found;
  const known = (found ? [found, ...others] : runs)
    .slice(0, 5)
    .map(({ id }) => id)
    .join(", ");
  throw new ReplayRefusal(
    found ? `Several run IDs start with "${name}".` : `No run "${name}" in this repository.`,
    `${found ? "Give more of its ID" : "Use last, or one of the newest"}: ${known}.`,
  );
}

/** All that happened in a run, in its order. */
export function readMoments(journal: Pick<Source, "events">, run: string): readonly RecordedEvent[] {
  let newest = 0;
  return journal.events(run).map(({ at, event }) => {
    // The clock may have gone back between two of them; their order is what happened.
    newest = Math.max(newest, at);
    return { at: newest, event };
  });
}
