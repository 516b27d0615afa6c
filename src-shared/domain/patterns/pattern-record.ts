/**
 * What people of this repository decided about patterns: the one thing that makes a text on the branch trusted. The
 * branch can be fetched, pushed to and moved by hand; this record cannot. (HOX-8.4)
 */
import type { AnyEvent } from "../any-event.ts";
import { counted } from "../text/format-text.ts";

export type PatternRecordEvent =
  | {
      readonly kind: "PatternApproved";
      /** `<category>/<name>`. */
      readonly id: string;
      /** The whole file, as it was shown. */
      readonly text: string;
      /** The run whose card was answered; null: in the library. */
      readonly run: string | null;
      /** Of the answer: the same a second time is the same approval. */
      readonly nonce: string;
      readonly at: number;
    }
  | {
      readonly kind: "PatternRetired";
      readonly id: string;
      readonly why: string;
      readonly at: number;
    }
  /** A previous version, or the retired one, is in force again. */
  | { readonly kind: "PatternRestored"; readonly id: string; readonly version: number; readonly at: number }
  /** The user rejected it; it is not shown again while its confidence stays about the same. */
  | {
      readonly kind: "PatternDeclined";
      readonly id: string;
      readonly confidence: number;
      readonly at: number;
    };

export interface ApprovedVersion {
  /** From 1. */
  readonly version: number;
  readonly text: string;
  readonly run: string | null;
  readonly nonce: string;
  readonly at: number;
}

/** All that is known of one pattern by its id. */
export interface PatternRecord {
  readonly versions: readonly ApprovedVersion[];
  /** The version that is in force, or was before it was retired; null where none was ever approved. */
  readonly present: number | null;
  readonly presentAt: number | null;
  /** Why it is not in force any more; null while it is. */
  readonly retired: { readonly why: string; readonly at: number } | null;
  /** Its confidence when it was refused last; null: never since it was approved. */
  readonly declinedAt: number | null;
}

export type PatternRecords = Readonly<Record<string, PatternRecord>>;

const emptyRecord: PatternRecord = {
  versions: [],
  present: null,
  presentAt: null,
  retired: null,
  declinedAt: null,
};

/** Total: what says nothing new answers with the same. */
export function reducePatternRecords(records: PatternRecords, event: PatternRecordEvent): PatternRecords {
  const before = Object.hasOwn(records, event.id) ? (records[event.id] ?? emptyRecord) : emptyRecord;
  const after = reduceRecord(before, event);
  return after === before ? records : { ...records, [event.id]: after };
}

function reduceRecord(record: PatternRecord, event: PatternRecordEvent): PatternRecord {
  switch (event.kind) {
    case "PatternApproved":
      return approve(record, event);
    case "PatternRetired":
      return record.present === null || record.retired
        ? record
        : { ...record, retired: { why: event.why, at: event.at } };
    case "PatternRestored":
      return record.versions.some(({ version }) => version === event.version)
        ? { ...record, present: event.version, presentAt: event.at, retired: null }
        : record;
    case "PatternDeclined":
      return { ...record, declinedAt: event.confidence };
  }
}

/** The same text a second time is no new version: it is in force again. */
function approve(
  record: PatternRecord,
  { text, run, nonce, at }: Extract<PatternRecordEvent, { kind: "PatternApproved" }>,
): PatternRecord {
  if (record.versions.some((version) => version.nonce === nonce)) return record;
  const last = record.versions.at(-1);
  const version = last?.text === text ? last : { version: (last?.version ?? 0) + 1, text, run, nonce, at };
  return {
    ...record,
    versions: version === last ? record.versions : [...record.versions, version],
    present: version.version,
    presentAt: at,
    retired: null,
    declinedAt: null,
  };
}

/** The version that is in force by the record; null where none is. Whether the branch holds it is another question. */
export const versionInForce = (record: PatternRecord | undefined): ApprovedVersion | null =>
  record === undefined || record.retired !== null
    ? null
    : (record.versions.find(({ version }) => version === record.present) ?? null);

/** An approved version of a pattern that a worker read. */
export interface InjectedPattern {
  /** `<category>/<name>`. */
  readonly id: string;
  /** The version that was approved here. */
  readonly version: number;
}

/** A worker's prompts have these from now on; recorded again only when they change. */
export interface PatternsInjected {
  readonly kind: "PatternsInjected";
  readonly worker: string;
  readonly patterns: readonly InjectedPattern[];
}

/** By worker: all that it ever received, the last version of each. */
export type PatternsByWorker = Readonly<Record<string, readonly InjectedPattern[]>>;

/** Pure. Answers with the same where nothing is new. */
export function reducePatternUse(
  state: PatternsByWorker,
  given: PatternsInjected | AnyEvent,
): PatternsByWorker {
  const event = given as PatternsInjected;
  if (event.kind !== "PatternsInjected") return state;
  const before = state[event.worker] ?? [];
  const isNew = event.patterns.some(
    ({ id, version }) => !before.some((one) => one.id === id && one.version === version),
  );
  if (!isNew) return state;
  const kept = before.filter(({ id }) => !event.patterns.some((one) => one.id === id));
  return { ...state, [event.worker]: [...kept, ...event.patterns] };
}

/** How the finished runs ended in which a worker read a pattern, whatever its version. */
export interface PatternUses {
  readonly complete: number;
  readonly failed: number;
  /** By the user. */
  readonly stopped: number;
}

export const noUses: PatternUses = { complete: 0, failed: 0, stopped: 0 };

/** @returns `Used in 5 runs: 3 complete, 1 failed, 1 stopped` */
export function formatUses(uses: PatternUses): string {
  const runs = uses.complete + uses.failed + uses.stopped;
  if (runs === 0) return "Not used in a completed run yet";
  const endings = (["complete", "failed", "stopped"] as const).filter((ending) => uses[ending] > 0);
  return `Used in ${counted(runs, "run")}: ${endings.map((ending) => `${uses[ending]} ${ending}`).join(", ")}`;
}

/** Recorded runs for which a pattern's evidence holds, whether they used it or not. */
export interface FittingRuns {
  readonly runs: number;
  readonly complete: number;
}

/** @returns `other matching runs: 4, complete: 3` */
export const formatFitting = ({ runs, complete }: FittingRuns): string =>
  runs === 0 ? "no other matching run yet" : `other matching runs: ${runs}, complete: ${complete}`;
