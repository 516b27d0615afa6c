import { createHash } from "node:crypto";
import type {
  PatternDiff,
  PatternPreview,
  PatternSuggestion,
  PatternView,
  patternCommands,
} from "#shared/contract/commands/pattern.ts";
import type { EngineCommands } from "#shared/contract/commands.ts";
import { kindOfPattern, lineDiff, type PatternFile } from "#shared/domain/patterns/pattern.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import {
  noUses,
  type PatternRecord,
  type PatternUses,
  versionInForce,
} from "#shared/domain/patterns/pattern-record.ts";
import { startOf, trimEndOf } from "#shared/domain/text/format-text.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { fittingPatterns, gist } from "../../../../patterns/learned.ts";
import { createPatternStore } from "../../../../patterns/pattern-store.ts";
import {
  evidenceView,
  patternHash,
  patternPath,
  placeOfId,
  proposalOf,
  readPattern,
  renderPattern,
} from "../../../../patterns/pattern-text.ts";
import type {
  BranchPatterns,
  PatternProposal,
  PatternStore,
  RecordedRun,
} from "../../../../patterns/patterns-interface.ts";
import { EngineRefusal, StaleAnswer } from "../../../engine-errors.ts";
import { chooseRunBase } from "../../../graph-sync/run-base.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { finishedRuns } from "../../../run/recorded-runs.ts";

type LibraryCommands = EngineCommands<Exclude<keyof typeof patternCommands, "pattern.editCard">, Run>;

interface LibraryParts {
  readonly journal: Journal;
  readonly store: PatternStore;
  readonly now: () => number;
}

interface Asked {
  readonly id: string;
  /** Omitted: the text on the branch. */
  readonly markdown?: string;
}

/**
 * A text as it would be approved in the library, and its approval, which counts for exactly what was shown.
 */
async function previewPattern(parts: LibraryParts, asked: Asked): Promise<PatternPreview> {
  const { journal, store } = parts;
  const { known, proposal } = await askedFor(parts, asked);
  const text = renderPattern(proposal);
  const versions = known.record?.versions ?? [];
  const last = versions.at(-1);
  return {
    id: asked.id,
    text,
    version: last?.text === text ? last.version : (last?.version ?? 0) + 1,
    gates: await store.gate(proposal, finishedRuns(journal)),
    diff:
      last === undefined
        ? null
        : diffOf(
            asked.id,
            { label: `version ${last.version}`, text: last.text },
            { label: "text to approve", text },
          ),
    shown: shownOf(known, proposal),
  };
}

/** One pattern with all that the branch and this repository's journal know of it. */
interface ListedPattern {
  readonly id: string;
  /** The file on the branch; null: none. */
  readonly file: BranchPatterns["files"][number] | null;
  readonly record: PatternRecord | null;
}

/** All on the branch, and those that were approved here but are no longer there. */
function listPatterns(journal: Journal, { files }: BranchPatterns): readonly ListedPattern[] {
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
function patternNamed(known: readonly ListedPattern[], id: string): ListedPattern {
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

/**
 * Approved ones first, then those not approved here, then retired ones; each group by confidence, highest
 * first.
 */
function patternViews(journal: Journal, known: readonly ListedPattern[]): readonly PatternView[] {
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

/** The text on the branch, else the last active version. */
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
function patternDiff(
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
const diffOf = (id: string, from: NamedText | null, to: NamedText): PatternDiff => ({
  id,
  from: from?.label ?? "nothing",
  to: to.label,
  lines:
    from === null
      ? to.text.split("\n").map((text) => ({ kind: "added" as const, text }))
      : lineDiff(from.text, to.text),
});

/** @throws StaleAnswer where text, branch or record are others than the preview showed */
async function approvePattern(
  parts: LibraryParts,
  { shown, ...asked }: Asked & { readonly shown: string },
): Promise<{ readonly version: number }> {
  const { journal, store, now } = parts;
  const { known, proposal } = await askedFor(parts, asked);
  const counted = known.record?.versions.find(({ nonce }) => nonce === shown);
  // The same approval a second time, as from a client that heard no answer.
  if (counted?.text === renderPattern(proposal) && known.file?.version === counted.version)
    return { version: counted.version };
  if (shown !== shownOf(known, proposal))
    throw new StaleAnswer(
      `${asked.id} has changed since you approved it: its text, the branch or a decision on it.`,
      "Review it again and approve the current text.",
    );
  const { version } = await store.approve(proposal, finishedRuns(journal), {
    nonce: shown,
    shown: patternHash(proposal),
    at: now(),
  });
  return { version };
}

async function askedFor(
  { journal, store }: LibraryParts,
  { id, markdown }: Asked,
): Promise<{ readonly known: ListedPattern; readonly proposal: PatternProposal }> {
  const known = patternNamed(listPatterns(journal, await store.branch()), id);
  const text = markdown ?? known.file?.text;
  if (text === undefined)
    throw new EngineRefusal(`${id} is not on the branch.`, "Restore a version, or give a text to approve.");
  return { known, proposal: proposalOf(id, text, true) };
}

/** Of the text and the current state: the file under its name, and the decision about it. */
const shownOf = ({ file, record }: ListedPattern, proposal: PatternProposal): string =>
  createHash("sha256")
    .update(JSON.stringify([patternHash(proposal), file?.text ?? null, record]))
    .digest("hex");

/**
 * Patterns of earlier runs, for the user: read, approved, edited, retired and shared, with or without a run.
 * (HOX-8)
 */
export const patternLibrary: Feature<Run> = {
  name: "pattern-library",
  commands: createLibrary,
};

function createLibrary(scope: CommandScope<Run>): LibraryCommands {
  const { journal, now, allGoing } = scope;
  const store = createPatternStore(scope);
  const parts = { journal, store, now };
  const known = async () => listPatterns(journal, await store.branch());
  const afterwards = async <T extends object>(done: T) => ({
    ...done,
    operation: await scope.repository.currentOperation(),
  });
  return {
    "pattern.list": async () => patternViews(journal, await known()),
    "pattern.diff": async ({ id, from, to }) => patternDiff(patternNamed(await known(), id), from, to),
    "pattern.preview": (asked) => previewPattern(parts, asked),
    "pattern.approve": async (asked) => afterwards(await approvePattern(parts, asked)),
    async "pattern.retire"({ id, reason }) {
      const { file, record } = patternNamed(await known(), id);
      if (file === null && record?.retired)
        throw new EngineRefusal(`${id} is already retired.`, "Restore it with `hox patterns restore`.");
      await store.retire(id, reason);
      for (const run of allGoing()) forget(run, id);
      return afterwards({});
    },
    async "pattern.restore"({ id, version }) {
      patternNamed(await known(), id);
      return afterwards(await store.restore(id, version ?? null));
    },
    "pattern.suggest": ({ goal }) => suggested(scope, store, goal),
    "pattern.pull": async () => afterwards(await store.pull()),
  };
}

/** Later conversations of active runs no longer receive it. */
function forget(run: Run, id: string): void {
  const { patterns, goalContext } = run.facts;
  const kept = patterns.filter((pattern) => pattern.id !== id);
  if (kept.length < patterns.length && goalContext !== null)
    run.append({ kind: "PatternsLoaded", patterns: kept, work: goalContext });
}

/** By the text of the goal, and by the files of a run's base. */
async function suggested(
  { repository, journal }: CommandScope<Run>,
  store: PatternStore,
  goal: string,
): Promise<readonly PatternSuggestion[]> {
  if (goal.trim() === "") return [];
  const { patterns } = await store.trusted();
  if (patterns.length === 0) return [];
  const { change } = await chooseRunBase(repository, null);
  const work = contextOf(goal, await repository.listFiles(change.commitId));
  const uses = journal.patternUses();
  return fittingPatterns(patterns, work).map(({ pattern, relevance }) => ({
    id: pattern.id,
    name: pattern.name,
    category: pattern.category,
    title: pattern.title,
    confidence: pattern.confidence,
    gist: gist(pattern),
    why: relevance.why,
    uses: uses.get(pattern.id) ?? noUses,
  }));
}
