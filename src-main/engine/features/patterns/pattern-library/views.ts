/** The library as a person reads it: what stands on the branch, and what this repository's record knows of it. */

import type { PatternDiff, PatternView } from "#shared/contract/views/pattern.ts";
import { lineDiff } from "#shared/domain/patterns/line-diff.ts";
import type { PatternFile } from "#shared/domain/patterns/pattern.ts";
import { type PatternRecord, versionInForce } from "#shared/domain/patterns/pattern-record.ts";
import { noUses, type PatternUses } from "#shared/domain/patterns/pattern-use.ts";
import { kindOfPattern } from "#shared/domain/patterns/pattern-words.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { trimEndOf } from "#shared/domain/text/trim-end.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { evidenceView } from "../../../../patterns/pattern-evidence.ts";
import { patternPath, placeOfId, readPattern } from "../../../../patterns/pattern-text.ts";
import type { BranchPatterns, RecordedRun } from "../../../../patterns/patterns-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { finishedRuns } from "../../../run/recorded-runs.ts";

/** All that is known under one id. */
export interface ListedPattern {
  readonly id: string;
  /** What stands on the branch; null: nothing. */
  readonly file: BranchPatterns["files"][number] | null;
  readonly record: PatternRecord | null;
}

/** Everything on the branch, and what was approved here and does not stand there any more. */
export function listPatterns(journal: Journal, { files }: BranchPatterns): readonly ListedPattern[] {
  const records = journal.patternRecords();
  const gone = Object.keys(records).filter(
    (id) => (records[id]?.versions.length ?? 0) > 0 && !files.some((file) => file.id === id),
  );
  return [
    ...files.map((file) => ({ id: file.id, file, record: records[file.id] ?? null })),
    ...gone.map((id) => ({ id, file: null, record: records[id] ?? null })),
  ];
}

/** @throws EngineRefusal that says which there are */
export function patternNamed(known: readonly ListedPattern[], id: string): ListedPattern {
  const found = known.find((one) => one.id === id);
  if (found) return found;
  const ids = known.map((one) => one.id);
  throw new EngineRefusal(
    `No pattern ${startOf(id, 100)}.`,
    ids.length === 0
      ? "No patterns yet."
      : `Available: ${ids.slice(0, 20).join(", ")}${ids.length > 20 ? ", …" : "."}`,
  );
}

const states = ["approved", "not-approved", "retired"] as const;

/** Approved ones first, then what nobody here approved, then retired ones; of each the best confidence first. */
export function patternViews(journal: Journal, known: readonly ListedPattern[]): readonly PatternView[] {
  const [runs, uses] = [finishedRuns(journal), journal.patternUses()];
  const goals = new Map(journal.runs().map(({ id, input }) => [id, input.goal]));
  return known
    .flatMap((one) => patternView(one, { runs, goals, uses: uses.get(one.id) ?? noUses }) ?? [])
    .toSorted(
      (a, b) =>
        states.indexOf(a.state) - states.indexOf(b.state) ||
        b.confidence - a.confidence ||
        (a.id < b.id ? -1 : 1),
    );
}

interface Seen {
  readonly runs: readonly RecordedRun[];
  readonly goals: ReadonlyMap<string, string>;
  readonly uses: PatternUses;
}

function patternView(known: ListedPattern, { runs, goals, uses }: Seen): PatternView | null {
  const { id, file, record } = known;
  const versions = record?.versions ?? [];
  const text = textIn(known);
  const pattern = patternIn(known);
  if (pattern === null || text === null) return null;
  const version = file?.version ?? null;
  return {
    id,
    name: pattern.name,
    category: pattern.category,
    kind: kindOfPattern(pattern.name),
    confidence: pattern.confidence,
    title: pattern.title,
    body: pattern.body,
    text,
    taskTypes: pattern.taskTypes,
    contexts: pattern.contexts,
    evidence: evidenceView(pattern.evidence, pattern.run, runs),
    state: file === null ? "retired" : version === null ? "not-approved" : "approved",
    whyNotTrusted: version === null ? whyNotTrusted(file !== null, record) : null,
    version,
    versions: versions.map(({ version, at, run, text }) => ({ version, at, run, text })),
    approvedAt: version === null ? null : (record?.presentAt ?? null),
    sourceRun: pattern.run === null ? null : { id: pattern.run, goal: goals.get(pattern.run) ?? null },
    uses,
  };
}

/** What stands on the branch, else the version that was in force last. */
function textIn({ file, record }: ListedPattern): string | null {
  const versions = record?.versions ?? [];
  const last = versions.find(({ version }) => version === record?.present) ?? versions.at(-1);
  return file?.text ?? last?.text ?? null;
}

/** Null: its text cannot be read as a pattern. */
function patternIn(known: ListedPattern): PatternFile | null {
  if (known.file) return known.file.pattern;
  const [place, text] = [placeOfId(known.id), textIn(known)];
  const read = place && text !== null ? readPattern(patternPath(place.category, place.name), text) : null;
  return read === null || "problem" in read ? null : read;
}

function whyNotTrusted(isOnBranch: boolean, record: PatternRecord | null): string {
  const retired = record?.retired ?? null;
  const inForce = versionInForce(record ?? undefined);
  if (!isOnBranch)
    return retired === null
      ? "It was approved here, but it is no longer on the branch: the branch was moved or edited by hand."
      : `It was retired${retired.why === "" ? "" : `: ${retired.why}`}`;
  if (retired !== null)
    return `It was retired here${retired.why === "" ? "" : ` (${trimEndOf(retired.why, ". \n\t")})`}, and is on the branch again without approval.`;
  if (inForce !== null) return `Its text differs from version ${inForce.version}, which was approved here.`;
  return "It was not approved in this repository.";
}

/** One text of a pattern, and how it is called. */
interface NamedText {
  readonly label: string;
  readonly text: string;
}

/** As `pattern.diff` in `contract/commands/pattern.ts` says. */
export function patternDiff(
  { id, file, record }: ListedPattern,
  from: number | undefined,
  to: number | undefined,
): PatternDiff {
  const versions = record?.versions ?? [];
  const textOf = (wanted: number): NamedText => {
    const found = versions.find(({ version }) => version === wanted);
    if (found) return { label: `version ${wanted}`, text: found.text };
    throw new EngineRefusal(
      `${id} has no version ${wanted}.`,
      versions.length === 0
        ? "No version was approved here yet."
        : `Available: ${versions.map(({ version }) => version).join(", ")}.`,
    );
  };
  const shownVersion = to ?? (file === null ? (record?.present ?? undefined) : (file.version ?? undefined));
  const target =
    shownVersion === undefined
      ? { label: "text on the branch", text: file?.text ?? "" }
      : textOf(shownVersion);
  const before =
    from ??
    (shownVersion === undefined
      ? versions.at(-1)?.version
      : versions.findLast(({ version }) => version < shownVersion)?.version);
  return diffOf(id, before === undefined ? null : textOf(before), target);
}

/** Against nothing every line is new. */
export const diffOf = (id: string, from: NamedText | null, to: NamedText): PatternDiff => ({
  id,
  from: from?.label ?? "nothing",
  to: to.label,
  lines:
    from === null
      ? to.text.split("\n").map((text) => ({ kind: "added" as const, text }))
      : lineDiff(from.text, to.text),
});
