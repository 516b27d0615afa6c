/**
 * How to merge a divergent change that the user and Hox rewrote concurrently, without losing either's edits.
 * (HOX-1.1)
 */
import type { MetadataField, MetadataPatch } from "./metadata.ts";
import { metadataFields, readMetadata } from "./trailers.ts";
import { writeMetadata } from "./write-trailers.ts";

/** A change as it was after one of its rewrites. */
export interface Version {
  readonly commit: string;
  readonly description: string;
  /** Change ids of its parents; rewriting those alone does not move it. */
  readonly parents: readonly string[];
  /** Whether Hox wrote it, and not the user with jj. */
  readonly byHox: boolean;
}

/** One of the commits, newest version first, down to what all began with. Never empty. */
export type History = readonly Version[];

interface Joined {
  /** Nothing where two people wrote different words: which of them hold is theirs to say. */
  readonly description: string | undefined;
  /** Index of the history whose parents to use; undefined if two users moved it to different parents. */
  readonly place: number | undefined;
}

/** What was done to one aspect since the common beginning. */
interface Side<Aspect> {
  readonly value: Aspect;
  readonly byUser: boolean;
}

/**
 * Merges the versions of one change. What only one side changed is kept; if both changed the same, the user's
 * version wins over Hox's, whose text is kept below.
 * @param histories one for each commit, the newest commit first
 */
export function joinVersions(histories: readonly History[]): Joined {
  const description = joinValues(
    histories,
    (version) => version.description,
    (base, one, other, conflicts) =>
      conflicts === "other"
        ? mergeDescriptions(base, other, one, { keepBoth: true })
        : mergeDescriptions(base, one, other, { keepBoth: conflicts === "one" }),
  );
  const parents = joinValues(
    histories,
    (version) => version.parents.join(),
    (base, one, other, conflicts) => {
      if (one === other || other === base) return one;
      if (one === base) return other;
      return conflicts === "neither" ? undefined : conflicts === "one" ? one : other;
    },
  );
  const place = histories.findIndex(([newest]) => newest?.parents.join() === parents);
  return { description, place: place < 0 ? undefined : place };
}

/**
 * Joins two descriptions that were written at the same time from one: the words around the trailers as one text,
 * and each Hox field for itself. (HOX-2.1)
 * @param base what both began with
 * @param keepBoth where both changed the same, the value of `one` holds, and new lines of `other` follow its words
 * @returns the joined description, or nothing when both changed the same thing differently and not both are kept
 */
export function mergeDescriptions(
  base: string,
  one: string,
  other: string,
  { keepBoth = false }: { readonly keepBoth?: boolean } = {},
): string | undefined {
  const all = Object.fromEntries(metadataFields.map((field) => [field, null])) as MetadataPatch;
  const merged = <T>(
    from: T,
    left: T,
    right: T,
    both: (left: T, right: T) => T = () => left,
  ): { readonly value: T } | undefined => {
    if (left === right || right === from) return { value: left };
    if (left === from) return { value: right };
    return keepBoth ? { value: both(left, right) } : undefined;
  };
  const words = writeMetadata(base, all);
  const text = merged(words, writeMetadata(one, all), writeMetadata(other, all), (left, right) =>
    withNewLines(words, left, right),
  );
  if (!text) return undefined;
  const from = readMetadata(base);
  const left = readMetadata(one);
  const right = readMetadata(other);
  const patch: Partial<Record<MetadataField, string | number>> = {};
  for (const field of metadataFields) {
    const value = merged<string | number | undefined>(from[field], left[field], right[field]);
    if (!value) return undefined;
    if (value.value !== undefined) patch[field] = value.value;
  }
  return writeMetadata(text.value, patch as MetadataPatch);
}

/** The first text, and below it the lines that the second has and neither the first nor what both began with. */
function withNewLines(base: string, one: string, other: string): string {
  const known = new Set([base, one].flatMap((text) => text.split("\n")));
  const added = other.split("\n").filter((line) => line.trim() !== "" && !known.has(line));
  return added.length === 0 ? one : `${one.trimEnd()}\n\n${added.join("\n")}\n`;
}

type Merge = (
  base: string,
  one: string,
  other: string,
  /** Whose version holds where both changed the same. */
  conflicts: "one" | "other" | "neither",
) => string | undefined;

/** Takes in one history after the other, each from where it left those before. */
function joinValues(
  histories: readonly History[],
  aspect: (version: Version) => string,
  merge: Merge,
): string | undefined {
  let joined: Side<string> | undefined;
  const known = new Set<string>();
  for (const history of histories) {
    const [newest] = history;
    if (!newest) return undefined;
    if (joined) {
      const at = history.findIndex(({ commit }) => known.has(commit));
      const base = history[at];
      if (!base) return undefined;
      const byUser = wroteSince(history, at, aspect);
      const conflicts = !byUser ? "one" : joined.byUser ? "neither" : "other";
      const value = merge(aspect(base), joined.value, aspect(newest), conflicts);
      if (value === undefined) return undefined;
      joined = { value, byUser: joined.byUser || byUser };
    } else
      joined = { value: aspect(newest), byUser: wroteSince(history, meeting(history, histories), aspect) };
    for (const { commit } of history) known.add(commit);
  }
  return joined?.value;
}

/** Where a history first meets any of the others; -1 where it meets none. */
function meeting(history: History, histories: readonly History[]): number {
  const others = histories.filter((one) => one !== history);
  const theirs = new Set(others.flatMap((one) => one.map(({ commit }) => commit)));
  return history.findIndex(({ commit }) => theirs.has(commit));
}

/** Whether Hox wrote any version since the commits of a change went apart. */
export const writtenByHox = (histories: readonly History[]): boolean =>
  histories.some((history) =>
    history.slice(0, Math.max(0, meeting(history, histories))).some(({ byHox }) => byHox),
  );

/** Whether the user changed it in any of the versions before the one at `until`. */
const wroteSince = (history: History, until: number, aspect: (version: Version) => string): boolean =>
  history.slice(0, until).some((version, at) => {
    const before = history[at + 1];
    return !version.byHox && before !== undefined && aspect(version) !== aspect(before);
  });

/** An operation with its parents: several if it merges concurrent ones. */
export interface Step {
  readonly id: string;
  readonly parents: readonly string[];
}

/**
 * The newest operation at which a condition began: it holds there, and at none of its parents. The log is not
 * linear: concurrent operations say nothing about each other.
 *
 * @param steps newest first
 * @param has called at most once for each operation, and only as far back as needed
 * @returns null if no such operation is among them
 */
export async function beginOf<Entry extends Step>(
  steps: readonly Entry[],
  has: (operation: string) => Promise<boolean>,
): Promise<Entry | null> {
  const known = new Map<string, boolean>();
  const at = async (operation: string): Promise<boolean> => {
    const answer = known.get(operation) ?? (await has(operation));
    known.set(operation, answer);
    return answer;
  };
  for (const step of steps) {
    if (!(await at(step.id))) continue;
    let before = false;
    for (const parent of step.parents) before ||= await at(parent);
    if (!before) return step;
  }
  return null;
}
