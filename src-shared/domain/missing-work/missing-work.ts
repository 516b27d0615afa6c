/**
 * Compares what each task added and removed with the result that would land. Bringing tasks together may leave out a whole
 * task and its tests, or bring back what it deleted, without a conflict and without a red check, so the lines and tests
 * themselves are counted.
 */

import { counted } from "../text/format-text.ts";
import { shownLine, shownName } from "../text/shown-text.ts";
import {
  add,
  atNewNames,
  type Changes,
  changesOf,
  type Items,
  type Kind,
  newNames,
  sumsOf,
  unclaimed,
} from "./changed-lines.ts";
import { type Lost, withoutRewritten } from "./rewritten-lines.ts";
import { isTestFile } from "./test-names.ts";

/** What one worker did, in Git format, against the parents of its change. */
interface OwnChange {
  readonly worker: string;
  readonly diff: string;
}

/** The own change of one finished task. */
interface TaskWork extends OwnChange {
  readonly title: string;
  readonly changeId: string;
}

export interface ComparedWork {
  readonly tasks: readonly TaskWork[];
  /** The changes in which tasks were brought together. */
  readonly integrations: readonly OwnChange[];
  /** Diffs of the other changes that the result contains: contracts, decisions, the user's own, new commits of the branch. */
  readonly others: readonly string[];
  /** Git-format diff of all that would land, from what the tasks were built on. */
  readonly result: string;
  /** Whether the plan has one task, by its worker, build on another's: only then may it undo what the other did. */
  readonly buildsOn: (worker: string, other: string) => boolean;
  /** Whether the change of one task is on top of another's, so that it can remove what the other added. */
  readonly isOnTop: (worker: string, other: string) => boolean;
}

/** Lines of one file, or of all. */
interface LineCounts {
  /** Lines that are missing, of those that the task added. Blank lines and lines of signs alone are not counted. */
  readonly missing: number;
  readonly added: number;
  /** Lines that are there again or still, of those that the task deleted. Imports are not counted, either. */
  readonly restored: number;
  readonly deleted: number;
}

/** What of one task is missing from the result. Plain JSON. */
export interface MissingWork extends LineCounts {
  readonly worker: string;
  readonly title: string;
  readonly changeId: string;
  /** Tests that it added and that the result does not run. */
  readonly tests: readonly { readonly path: string; readonly name: string }[];
  /** The files in which they were, those with the most lines first; of many the first ones. */
  readonly files: readonly ({ readonly path: string } & LineCounts)[];
  /** Workers whose changes removed what is missing, and whose restored what was deleted. Empty: not known. */
  readonly removedBy: readonly string[];
  readonly restoredBy: readonly string[];
}

/** A larger share of a task's lines than this is reported; a missing test always is. */
const maxMissingShare = 0.1;

/**
 * Finds the tasks of which a test, more than a tenth of the added lines or more than a tenth of the deletions is missing
 * from the result. A line counts as present wherever in the result it is, indented, wrapped and quoted in any way, and also
 * where a similar one was written in its place. What a decision did, or a task that builds on this one, is not missing.
 */
export function missingWork(compared: ComparedWork): readonly MissingWork[] {
  const all = read(compared);
  const works = all.tasks.map((work) => ({ work, found: lostOf(work, all) }));
  const lost = withoutRewritten(
    works.flatMap(({ work, found }) =>
      found.map(({ path, lines }) => ({ ...{ worker: work.worker, path }, items: lines })),
    ),
    { kept: all.kept, free: all.moved.lines, tasks: all.tasks },
  );
  return works.flatMap(({ work, found }) => {
    const one = missingOf(
      work,
      found.map((file) => ({ ...file, lines: lost(work.worker, file.path) })),
      all,
    );
    const isMissing =
      one.tests.length > 0 ||
      one.missing > one.added * maxMissingShare ||
      one.restored > one.deleted * maxMissingShare;
    return isMissing ? [one] : [];
  });
}

interface ReadChange {
  readonly changes: Changes;
  /** What it added, and what it removed, in whatever file. */
  readonly gained: Items;
  readonly gone: Items;
}
type Work = TaskWork & ReadChange;

interface Read {
  readonly kept: Changes;
  readonly tasks: readonly Work[];
  readonly integrations: readonly (OwnChange & ReadChange)[];
  readonly others: readonly ReadChange[];
  /** What the result gained and no task added in that file. Each of its lines is found only once. */
  readonly moved: Items;
  readonly buildsOn: ComparedWork["buildsOn"];
  readonly isOnTop: ComparedWork["isOnTop"];
}

/** The lines of every diff, each under the name that its file has in the result. */
function read({ tasks, integrations, others, result, ...order }: ComparedWork): Read {
  const kept = changesOf(result);
  const own = <One extends OwnChange>(ones: readonly One[]) =>
    ones.map((one) => ({ ...one, changes: changesOf(one.diff) }));
  const [works, merges] = [own(tasks), own(integrations)];
  const given = others.map(changesOf);
  const nameOf = newNames(kept, [...works, ...merges].map(({ changes }) => changes).concat(given));
  const renamed = <One extends { readonly changes: Changes }>(ones: readonly One[]) =>
    ones.map((one) => {
      const changes = atNewNames(one.changes, nameOf);
      return { ...one, changes, gained: sumsOf(changes, 1), gone: sumsOf(changes, -1) };
    });
  const tasksNow = renamed(works);
  return {
    ...{ ...order, kept, tasks: tasksNow, integrations: renamed(merges) },
    others: renamed(given.map((changes) => ({ changes }))),
    moved: unclaimed(kept, tasksNow),
  };
}

/** What of a task's additions is nowhere in the result, in one file. */
interface LostInFile {
  readonly path: string;
  readonly lines: Lost;
  readonly tests: Lost;
}

function lostOf({ worker, changes }: Work, all: Read): readonly LostInFile[] {
  const { kept, moved, others, tasks, buildsOn, isOnTop } = all;
  // What is not on top of it removed lines that were there before: they are no loss, and count against equal ones of it.
  const related = tasks.filter(
    (one) => one.worker !== worker && (!isOnTop(one.worker, worker) || buildsOn(one.worker, worker)),
  );
  const removed = [...others, ...related].map(({ gone }) => gone);
  const lost = (path: string, kind: Kind): Lost =>
    [...(changes.get(path)?.[kind] ?? [])].flatMap(([item, wanted]) => {
      if (wanted <= 0) return [];
      const explained = sumOf(removed.map((one) => one[kind].get(item) ?? 0));
      const here = Math.max(0, kept.get(path)?.[kind].get(item) ?? 0);
      const elsewhere = Math.min(Math.max(0, wanted - here - explained), moved[kind].get(item) ?? 0);
      if (elsewhere > 0) add(moved[kind], item, -elsewhere);
      const missing = wanted - here - explained - elsewhere;
      return missing > 0 ? [[item, missing] as const] : [];
    });
  return [...changes.keys()].map((path) => ({
    path,
    lines: lost(path, "lines"),
    tests: lost(path, "tests"),
  }));
}

/**
 * The lines that a task deleted in a file and that the result holds all the same. Another task's line was not its to delete,
 * and an equal line that others added there is theirs.
 */
function restoredIn(path: string, work: Work, all: Read): { readonly lines: Lost; readonly deleted: number } {
  const { kept, tasks, others, buildsOn, isOnTop } = all;
  const own = work.changes.get(path);
  if (own === undefined || own.isConflicted) return { lines: [], deleted: 0 };
  const rest = tasks.filter(({ worker }) => worker !== work.worker);
  const foreign = rest
    .filter((one) => isOnTop(work.worker, one.worker) && !buildsOn(work.worker, one.worker))
    .map(({ changes }) => changes);
  const allowed = rest.filter(
    (one) => !isOnTop(one.worker, work.worker) || buildsOn(one.worker, work.worker),
  );
  const adders = [...others, ...allowed].map(({ changes }) => changes);
  const gains = (all: readonly Changes[], item: string): number =>
    sumOf(all.map((changes) => Math.max(0, changes.get(path)?.lines.get(item) ?? 0)));
  let deleted = 0;
  const lines = [...own.lines].flatMap(([item, net]): Lost => {
    if (net >= 0 || own.common.has(item)) return [];
    // Only moved, where it added the same line elsewhere.
    const count = -net - (work.gained.lines.get(item) ?? 0) - gains(foreign, item);
    if (count <= 0) return [];
    deleted += count;
    const back = (kept.get(path)?.lines.get(item) ?? 0) - gains(adders, item) + count;
    return back > 0 ? [[item, Math.min(count, back)]] : [];
  });
  return { lines, deleted };
}

function missingOf(work: Work, lost: readonly LostInFile[], all: Read): MissingWork {
  const [removedBy, restoredBy] = [new Map<string, number>(), new Map<string, number>()];
  const files = lost.map(({ path, lines, tests }) => {
    const { isNew = false, lines: own, tests: ownTests } = work.changes.get(path) ?? {};
    const added = sumOf([...(own?.values() ?? [])].filter((net) => net > 0));
    const missing = sumOf(lines.map(([, count]) => count));
    const back = restoredIn(path, work, all);
    blame(removedBy, work, all, { path, kind: "lines", items: lines, by: -1 });
    blame(removedBy, work, all, { path, kind: "tests", items: tests, by: -1 });
    blame(restoredBy, work, all, { path, kind: "lines", items: back.lines, by: 1 });
    // A test in a language that is not read, or a file that tests need.
    const isGone = isNew && isTestFile(path) && ownTests?.size === 0 && missing * 2 > added;
    const restored = sumOf(back.lines.map(([, count]) => count));
    const names = isGone ? [path] : tests.map(([name]) => name);
    return { path, missing, added, restored, deleted: back.deleted, names };
  });
  const total = (of: keyof LineCounts): number => sumOf(files.map((file) => file[of]));
  return {
    ...{ worker: work.worker, title: work.title, changeId: work.changeId },
    ...{ missing: total("missing"), added: total("added") },
    ...{ restored: total("restored"), deleted: total("deleted") },
    tests: files.flatMap(({ path, names }) => names.map((name) => ({ path, name }))),
    files: files
      .filter(({ missing, restored, names }) => missing > 0 || restored > 0 || names.length > 0)
      .map(({ names: _, ...file }) => file)
      .toSorted((a, b) => b.missing + b.restored - a.missing - a.restored)
      .slice(0, maxFiles),
    ...{ removedBy: mostly(removedBy), restoredBy: mostly(restoredBy) },
  };
}

/** Finds out whose change removed some lines or tests, or added them; else who resolved a conflict in that file. */
function blame(
  counts: Map<string, number>,
  { worker: own }: Work,
  { tasks, integrations }: Read,
  of: { readonly path: string; readonly kind: Kind; readonly items: Lost; readonly by: 1 | -1 },
): void {
  const { path, kind, items, by } = of;
  const series = [...tasks, ...integrations].filter(({ worker }) => worker !== own);
  const resolvers = integrations.filter(({ changes }) => changes.get(path)?.isConflicted);
  for (const [item, count] of items) {
    const exact = series.filter(({ changes }) => (changes.get(path)?.[kind].get(item) ?? 0) * by > 0);
    for (const { worker } of exact.length > 0 ? exact : resolvers) add(counts, worker, count);
  }
}

/** Those who did more than a small part of it, who did the most first. */
function mostly(counts: ReadonlyMap<string, number>): readonly string[] {
  const enough = sumOf([...counts.values()]) * maxMissingShare;
  return [...counts]
    .filter(([, count]) => count > enough)
    .toSorted(([, one], [, other]) => other - one)
    .map(([worker]) => worker);
}

/** Files that are named of one task. */
const maxFiles = 50;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** How much is missing, in a few words: `2 tests and 12 of 40 lines missing, 3 of 5 deleted lines restored`. */
export function missingAmount(work: MissingWork): string {
  const { tests, missing, added, restored, deleted } = work;
  const gone = [
    ...(tests.length === 0 ? [] : [counted(tests.length, "test")]),
    ...(missing === 0 ? [] : [`${missing} of ${counted(added, "line")}`]),
  ].join(" and ");
  return [
    ...(gone === "" ? [] : [`${gone} missing`]),
    ...(restored === 0 ? [] : [`${restored} of ${counted(deleted, "deleted line")} restored`]),
  ].join(", ");
}

/** Who removed what is missing, and who restored what was deleted; null: not known. */
export function droppedBy({ removedBy, restoredBy }: MissingWork): string | null {
  const names = (all: readonly string[]): string => all.map(shownName).join(" and ");
  const by = [
    ...(removedBy.length === 0 ? [] : [`removed by ${names(removedBy)}`]),
    ...(restoredBy.length === 0 ? [] : [`restored by ${names(restoredBy)}`]),
  ];
  return by.length === 0 ? null : by.join(", ");
}

/** Whose work is missing, and how much of it: `agent-2 (12 of 40 lines missing)`. */
export const missingSummary = (works: readonly MissingWork[]): string =>
  firstOf(works.map((work) => `${work.worker} (${missingAmount(work)})`));

/** All that is known of it in one line, for terminals, agents and reports. */
export function missingLine(work: MissingWork): string {
  const tests = work.tests.map(({ path, name }) =>
    name === path ? shownName(path) : `"${shownLine(name)}" in ${shownName(path)}`,
  );
  const lines = work.files.flatMap(({ path, missing, added }) =>
    missing === 0 ? [] : [`${shownName(path)} (${missing} of ${added})`],
  );
  const restored = work.files.flatMap((file) =>
    file.restored === 0 ? [] : [`${shownName(file.path)} (${file.restored} of ${file.deleted})`],
  );
  const by = droppedBy(work);
  return [
    `${work.worker} "${shownLine(work.title)}": ${missingAmount(work)}`,
    ...(tests.length === 0 ? [] : [`missing tests: ${firstOf(tests)}`]),
    ...(lines.length === 0 ? [] : [`missing lines: ${firstOf(lines)}`]),
    ...(restored.length === 0 ? [] : [`restored lines: ${firstOf(restored)}`]),
    ...(by === null ? [] : [by]),
  ].join("; ");
}

const maxNamed = 10;

const firstOf = (all: readonly string[]): string =>
  all.length <= maxNamed
    ? all.join(", ")
    : `${all.slice(0, maxNamed).join(", ")} and ${all.length - maxNamed} more`;
