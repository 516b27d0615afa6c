/** Features for a project of others: each a small patch with a test, which a scripted agent writes and the bench proves. */
import type { Edit, RealProject } from "../../e2e/real/project.ts";

/** A block that goes to a new file: from the line of `from` up to the line of `until`. */
interface Move {
  readonly path: string;
  readonly from: string;
  readonly until: string;
  readonly into: string;
  /** Text of the new file above and below the block. */
  readonly head: string;
  readonly tail: string;
}

/** Puts `to` in place of `from`. Where features meet, `to` contains `from`: then they can be combined in any order. */
type Replacement = Extract<Edit, { readonly from: string }>;

export interface Feature {
  /** Unique in its project; also the task's id. */
  readonly id: string;
  readonly title: string;
  /** What it has to do, precisely enough for a model that sees neither patch nor test. */
  readonly asks: string;
  readonly edits: readonly Edit[];
  readonly move?: Move;
  readonly test: { readonly path: string; readonly content: string };
}

/** Features that a team does at once. */
export interface FeatureSet {
  readonly name: string;
  /** How they meet, in words. */
  readonly meets: string;
  readonly features: readonly Feature[];
}

export interface TeamProject
  extends Pick<RealProject, "name" | "language" | "archive" | "programs" | "files" | "install" | "fetch"> {
  readonly sets: readonly FeatureSet[];
  /** Shell command in a checkout that runs the tests of one file, and one that runs all. */
  readonly testOne: (path: string) => string;
  readonly testAll: string;
  /** Shell command in a checkout that makes the packages of the project's own folder (`$ROOT`) usable there. */
  readonly prepare: string;
}

/** Text in front of a place that stays as it is. */
export const insertBefore = (path: string, place: string, text: string): Replacement => ({
  path,
  from: place,
  to: `${text}${place}`,
});

/** A project's files by path. */
export type Files = Readonly<Record<string, string>>;

export const isReplacement = (edit: Edit): edit is Replacement => "from" in edit;

/** Paths of a feature apart from its test. */
export const sourcesOf = ({ edits, move }: Feature): readonly string[] => [
  ...new Set([...edits.map(({ path }) => path), ...(move ? [move.path, move.into] : [])]),
];

export const pathsOf = (feature: Feature): readonly string[] => [...sourcesOf(feature), feature.test.path];

const once = (text: string, part: string, where: string): number => {
  const at = text.indexOf(part);
  if (at < 0 || text.indexOf(part, at + 1) >= 0)
    throw new Error(`${where}: ${JSON.stringify(part)} has to be there exactly once.`);
  return at;
};

function replaced(text: string, { path, from, to }: Replacement): string {
  const at = once(text, from, path);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** The files with all features in them, blocks moved last so that they take other features' edits along. */
export function withFeatures(base: Files, features: readonly Feature[]): Files {
  const files: Record<string, string> = { ...base };
  for (const { edits, test } of features) {
    for (const edit of edits)
      files[edit.path] = isReplacement(edit) ? replaced(files[edit.path] ?? "", edit) : edit.content;
    files[test.path] = test.content;
  }
  for (const { move } of features) {
    if (!move) continue;
    const text = files[move.path] ?? "";
    const [at, end] = [once(text, move.from, move.path), once(text, move.until, move.path)];
    files[move.path] = text.slice(0, at) + text.slice(end);
    files[move.into] = move.head + text.slice(at, end).trimEnd() + move.tail;
  }
  return files;
}

/** A line that only this edit writes. */
export function markOf(edit: Edit): string {
  const text = isReplacement(edit) ? edit.to.replace(edit.from, () => "\n") : edit.content;
  return text
    .split("\n")
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), "");
}

/** Features of which some edit is in a text, also between conflict markers. */
export const featuresIn = (text: string, features: readonly Feature[]): readonly Feature[] =>
  features.filter(({ edits }) => edits.some((edit) => text.includes(markOf(edit))));

export const hasMarkers = (text: string): boolean => /^<{7,} /mu.test(text) && /^>{7,} /mu.test(text);

/**
 * What the files of a workspace have to become so that they hold every feature that is in them and those that are
 * wanted.
 *
 * @param now the texts that were read, conflict markers included
 * @returns the texts to write, by path: what was in conflict, and where a moved block went
 */
export function resolved(
  base: Files,
  now: Files,
  features: readonly Feature[],
  wanted: readonly Feature[],
): Files {
  const inConflict = Object.keys(now).filter((path) => hasMarkers(now[path] ?? ""));
  const there = featuresIn(Object.values(now).join("\n"), features);
  const involved = features.filter((one) => wanted.includes(one) || there.includes(one));
  const whole = withFeatures(base, involved);
  const moved = involved.flatMap(({ move }) => (move && inConflict.includes(move.path) ? [move.into] : []));
  return Object.fromEntries(
    [...new Set([...inConflict, ...moved])].flatMap((path) => {
      const text = whole[path];
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}
