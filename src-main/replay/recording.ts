import { RemediedError } from "#shared/domain/text/remedied-error.ts";
/** Everything that was recorded of one run: plain JSON, from which its views are made again at any moment of it. */

import { gunzipSync } from "node:zlib";
import { maxRecordingBytes } from "#shared/contract/commands/replay.ts";
import type { Stage } from "#shared/contract/views/run.ts";
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
export class ReplayRefusal extends RemediedError {
  override readonly name = "ReplayRefusal";
}

type Source = Pick<JournalReader, "runs" | "config" | "events" | "conversations" | "spending" | "cards">;

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
    spending: journal.spending(row.id),
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

/** How such a file is called. */
export const recordingEnding = ".hoxrun";

/** Of the unpacked file. */
const maxRecordingSize = 256 * 1024 * 1024;
const maxLineLength = 32 * 1024 * 1024;
/** A run of fifty agents over a day has a tenth of it; a small file can hold a hundred million. */
export const maxLines = 1_000_000;
/**
 * Objects, lists and their values; an empty object takes three characters here and twenty times as much in
 * memory. A parser that exhausts memory ends the process, in whatever thread it runs, so it must not get
 * there.
 */
const maxValues = 10_000_000;

export const refused = (message: string, remedy: string): ReplayRefusal => new ReplayRefusal(message, remedy);
export const damaged = (what: string): ReplayRefusal =>
  refused(`The recording is incomplete: ${what}.`, "Export the run again and copy the complete file.");

export const tooLarge = (): ReplayRefusal =>
  refused(
    `The file is larger than a recording can be (max ${megabytes(maxRecordingBytes)}).`,
    "Check that it is the right file.",
  );

/** One line after the other: a file of line ends alone would be more texts than memory holds. */
export function* recordingLines(bytes: Uint8Array): Generator<string, undefined> {
  if (bytes.byteLength > maxRecordingBytes) throw tooLarge();
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    throw refused("This is not a Hox recording.", `Choose a file from \`hox export\` (${recordingEnding}).`);
  const content = unpacked(bytes);
  refuseTooMany(content, [lineEnd], maxLines, "lines");
  refuseTooMany(
    content,
    [...",[{"].map((sign) => sign.charCodeAt(0)),
    maxValues,
    "values",
  );
  let from = 0;
  while (from < content.length) {
    const end = content.indexOf(lineEnd, from);
    if (end < 0) throw damaged("its last line is cut off");
    if (end - from > maxLineLength) throw damaged("a line is too long");
    yield content.toString("utf8", from, end);
    from = end + 1;
  }
}

const lineEnd = 0x0a;

function refuseTooMany(content: Buffer, signs: readonly number[], max: number, what: string): void {
  const isCounted = new Uint8Array(256);
  for (const sign of signs) isCounted[sign] = 1;
  let count = 0;
  for (let at = 0; at < content.length; at++) count += isCounted[content[at] ?? 0] ?? 0;
  if (count > max)
    throw refused(
      `This file has more than ${max.toLocaleString("en")} ${what}.`,
      "A Hox recording is never this large. Do not open it.",
    );
}

function unpacked(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxRecordingSize });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw refused(
        `This file is larger than ${megabytes(maxRecordingSize)} when unpacked.`,
        "A Hox recording is never this large. Do not open it.",
      );
    throw damaged("it can't be unpacked");
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024).toLocaleString("en")} MB`;
