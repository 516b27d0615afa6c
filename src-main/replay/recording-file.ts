/** A recording as one file: JSON lines, packed by gzip. `docs/replay.md` describes it. */
import { constants, gzipSync } from "node:zlib";
import { z } from "zod";
import {
  damaged,
  maxLines,
  type Recording,
  type ReplayRefusal,
  recordingLines,
  refused,
} from "./recording.ts";
import { createReplay } from "./replay.ts";

const recordingFormat = "hox-recording";
const recordingVersion = 1;
/** @param writtenBy the version of Hox */
export function writeRecordingFile(recording: Recording, writtenBy: string): Buffer {
  const { moments, conversations, spending, cards, graphs, config, ...about } = recording;
  const lines: unknown[] = [
    { format: recordingFormat, version: recordingVersion, writtenBy, about },
    { config },
    ...moments.map((moment) => ({ moment })),
    ...Object.entries(conversations).flatMap(([worker, rows]) => rows.map((row) => ({ worker, row }))),
    ...spending.map((request) => ({ request })),
    ...cards.map((card) => ({ card })),
    ...graphs.changes.map((change) => ({ change })),
    ...graphs.graphs.map((graph) => ({ graph })),
  ];
  if (lines.length >= maxLines)
    throw refused(
      `This run can't be exported: it has ${lines.length.toLocaleString("en")} lines, the maximum is ${maxLines.toLocaleString("en")}.`,
      "Replay it in this repository, or read its report.",
    );
  const text = [...lines, { end: lines.length }].map((line) => `${JSON.stringify(line)}\n`).join("");
  return gzipSync(text, { level: constants.Z_BEST_COMPRESSION });
}

/** As far as a date goes. */
const latestTime = 8.64e15;
const at = z.number().int().nonnegative().max(latestTime);
const text = z.string();
const head = z.object({ format: z.literal(recordingFormat), version: z.number().int() });
const about = z.strictObject({
  run: text.max(200),
  input: z.looseObject({
    goal: text,
    model: text,
    rehearsal: text.nullable(),
    root: text,
    attachments: z.array(z.object({ name: text })),
  }),
  stage: text,
  startedAt: at,
  endedAt: at.nullable(),
});
const change = z.strictObject({
  commitId: text,
  changeId: text,
  parents: z.array(text),
  description: text,
  author: z.strictObject({ name: text, email: text }),
  timestamp: z.number(),
  metadata: z.record(text, z.union([text, z.number(), z.null()])),
  immutable: z.boolean(),
  divergent: z.boolean(),
  conflict: z.boolean(),
});
/** The fields by which a kind of line is recognised. The rest is not copied. */
const lineOf = {
  config: z.strictObject({ config: z.object({}) }),
  moment: z.strictObject({ moment: z.strictObject({ at, event: z.object({ kind: text }) }) }),
  row: z.strictObject({
    worker: text,
    row: z.object({ index: z.number().int(), at, kind: text }),
  }),
  request: z.strictObject({
    request: z.strictObject({
      worker: text,
      model: text,
      at,
      spent: z.object({ usage: z.object({}), microDollars: z.number(), requests: z.number() }),
    }),
  }),
  card: z.strictObject({
    card: z.strictObject({
      item: z.object({ id: text, at, kind: text }),
      answeredAt: at.nullable(),
      decision: z.object({ kind: text }).nullable(),
    }),
  }),
  change: z.strictObject({ change }),
  graph: z.strictObject({
    graph: z.strictObject({
      at,
      operation: text,
      rows: z.array(z.number().int().nonnegative()),
      refs: z.strictObject({
        bookmarks: z.record(text, z.array(text)),
        workspaces: z.record(text, text),
      }),
    }),
  }),
  end: z.strictObject({ end: z.number().int() }),
} as const;
type LineKind = keyof typeof lineOf;
const lineKinds = Object.keys(lineOf) as readonly LineKind[];

/**
 * Reads an untrusted file. Nothing of it is executed: it is shown.
 *
 * @throws ReplayRefusal that says what is wrong with it
 */
export function readRecordingFile(bytes: Uint8Array): Recording {
  const lines = recordingLines(bytes);
  const first = parseLine(lines.next().value ?? "", 1);
  const { version } = checked(head, first, 1);
  if (version > recordingVersion)
    throw refused(
      `This recording has format ${version}; this Hox reads formats up to ${recordingVersion}.`,
      "Update Hox.",
    );
  const { about: read } = checked(z.object({ about }), first, 1);
  const collected = collect(lines);
  // The shapes within are those of events that this Hox knows; whether they are is seen by reducing them.
  return tried({ ...read, ...collected } as unknown as Recording);
}

function parseLine(given: string, number: number): unknown {
  // Such a key would become the nature of an object instead of a part of it. Looked for the quick way first.
  if (given.includes("__proto__") && /(?<!\\)"__proto__"\s*:/u.test(given))
    throw damaged(`line ${number} has an unknown key`);
  try {
    return JSON.parse(given);
  } catch {
    throw damaged(`line ${number} is not JSON`);
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, number: number): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw number === 1
    ? refused("This is not a Hox recording.", "Choose a file from `hox export`.")
    : unknownLine(number);
}

const unknownLine = (number: number): ReplayRefusal => damaged(`line ${number} is of an unknown kind`);

type Collected = Pick<Recording, "config" | "moments" | "conversations" | "spending" | "cards" | "graphs">;

/** @param lines all but the first, which says what the recording is of */
function collect(lines: Iterable<string>): Record<keyof Collected, unknown> {
  const found: { readonly [Kind in LineKind]: unknown[] } = {
    ...{ config: [], moment: [], row: [], request: [], card: [], change: [], graph: [], end: [] },
  };
  const conversations = new Map<string, unknown[]>();
  let isEnded = false;
  let index = 0;
  for (const one of lines) {
    index += 1;
    const { kind, value } = readLine(one, index + 1);
    const part = value[kind];
    if (kind === "row") {
      const worker = value.worker as string;
      const own = conversations.get(worker);
      if (own) own.push(part);
      else conversations.set(worker, [part]);
    } else found[kind].push(part);
    isEnded = kind === "end" && part === index;
  }
  if (!isEnded) throw damaged("lines are missing");
  const [config] = found.config;
  if (config === undefined) throw damaged("the settings are missing");
  return {
    config,
    moments: found.moment,
    conversations: Object.fromEntries(conversations),
    spending: found.request,
    cards: found.card,
    graphs: { changes: found.change, graphs: found.graph },
  };
}

/** Checks a line's shape and returns it without copying. */
function readLine(given: string, number: number): { kind: LineKind; value: Record<string, unknown> } {
  const value = parseLine(given, number);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unknownLine(number);
  const kind = lineKinds.find((one) => Object.hasOwn(value, one));
  if (kind === undefined || !lineOf[kind].safeParse(value).success) throw unknownLine(number);
  return { kind, value: value as Record<string, unknown> };
}

/** Moments at which a recording is tested before it is shown. */
const triedMoments = 8;

/** Everything that a screen asks of it works, or it is refused. */
function tried(recording: Recording): Recording {
  try {
    const { times, viewsAt } = createReplay(recording);
    const step = Math.max(1, Math.floor(times.length / triedMoments));
    for (let index = 0; index < times.length - 1; index += step) {
      // The timeline at the end includes all earlier marks.
      const { timeline: _, ...views } = viewsAt(times[index] ?? 0);
      JSON.stringify(views);
    }
    JSON.stringify(viewsAt(times.at(-1) ?? recording.startedAt));
    return recording;
  } catch (error) {
    throw refused(
      `This recording is inconsistent (${error instanceof Error ? error.message.slice(0, 200) : "no reason"}).`,
      "It may be from a newer Hox, or was edited. Export the run again with this version.",
    );
  }
}
