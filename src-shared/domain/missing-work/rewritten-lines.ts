/** Lines that are missing because they were written in another way. */

import { add, type Changes, type Net } from "./changed-lines.ts";

/** Lines or tests, with how many of each. */
export type Lost = readonly (readonly [string, number])[];

interface LostLines {
  readonly worker: string;
  readonly path: string;
  readonly items: Lost;
}

interface Around {
  readonly kept: Changes;
  /** Lines of the result that no task added. Each of them replaces one line only. */
  readonly free: Net;
  readonly tasks: readonly { readonly worker: string; readonly changes: Changes }[];
}

/** Beyond this no line is compared with others. */
const maxCompared = 500;

/**
 * Takes away the lines that were wrapped, joined or rewritten. A line of the result replaces the one that is most like it,
 * whosever that is. It has to be nobody's; or of a task that removed the replaced line itself. Then every word of that line
 * must be left in the file, as two features that were written by one pattern resemble each other line by line.
 * @returns what is left, by worker and path
 */
export function withoutRewritten(
  all: readonly LostLines[],
  around: Around,
): (worker: string, path: string) => Lost {
  const left = new Map(all.map(({ worker, path, items }) => [`${worker}\n${path}`, new Map(items)]));
  for (const [path, lost] of Map.groupBy(all, (one) => one.path)) {
    const now = [...(around.kept.get(path)?.lines ?? [])].flatMap(([line, net]) => (net > 0 ? [line] : []));
    const count = lost.reduce((sum, { items }) => sum + items.length, 0);
    if (count === 0 || count > maxCompared || now.length > maxCompared) continue;
    const found = (worker: string, item: string): void => {
      const items = left.get(`${worker}\n${path}`);
      const rest = (items?.get(item) ?? 0) - 1;
      if (rest > 0) items?.set(item, rest);
      else items?.delete(item);
    };
    const free = now.filter((line) => (around.free.get(line) ?? 0) > 0);
    const text = unwrapped(free.join(""));
    for (const { worker, items } of lost)
      for (const item of wrappedIn(
        text,
        items.map(([line]) => line),
      ))
        found(worker, item);
    const used = new Set<string>();
    const taken = new Set<string>();
    for (const { worker, item, line } of matches(path, lost, now, around)) {
      const key = `${worker}\n${item}`;
      const isLost = left.get(`${worker}\n${path}`)?.has(item);
      if (!isLost || used.has(line) || taken.has(key)) continue;
      used.add(line);
      taken.add(key);
      if ((around.free.get(line) ?? 0) > 0) add(around.free, line, -1);
      found(worker, item);
    }
  }
  return (worker, path) => [...(left.get(`${worker}\n${path}`) ?? [])];
}

/** Without what a formatter adds where it breaks lines. */
const unwrapped = (text: string): string => text.replaceAll(/[\s,;]/gu, "");

/** Shorter pieces are in every text. */
const minWrapped = 6;

/** The lines that are parts of some text, on one line of it or on several; short ones only together with a long one. */
function wrappedIn(text: string, lines: readonly string[]): readonly string[] {
  const parts = lines.filter((line) => text.includes(unwrapped(line)));
  return parts.some((line) => unwrapped(line).length >= minWrapped) ? parts : [];
}

interface Match {
  readonly worker: string;
  readonly item: string;
  readonly line: string;
  readonly similarity: number;
}

/** Which line may be which one rewritten, the most similar first. */
function matches(
  path: string,
  lost: readonly LostLines[],
  now: readonly string[],
  { free, tasks }: Around,
): readonly Match[] {
  const words = new Set(now.flatMap(tokensOf));
  const netOf = (changes: Changes, line: string): number => changes.get(path)?.lines.get(line) ?? 0;
  return lost
    .flatMap(({ worker, items }) =>
      items.flatMap(([item]) => {
        const isWhole = tokensOf(item).every((one) => words.has(one));
        const rewriters = tasks.filter(
          (other) => isWhole && other.worker !== worker && netOf(other.changes, item) < 0,
        );
        return now.flatMap((line): readonly Match[] => {
          const isFree =
            (free.get(line) ?? 0) > 0 || rewriters.some(({ changes }) => netOf(changes, line) > 0);
          const similarity = isFree ? similarityOf(item, line) : 0;
          return similarity >= minSimilarity ? [{ worker, item, line, similarity }] : [];
        });
      }),
    )
    .toSorted((one, other) => other.similarity - one.similarity);
}

const tokensOf = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_]+/gu) ?? [];

/** From this on one line is another one rewritten. */
const minSimilarity = 0.6;

/** The share of pairs of characters that two texts have in common: 0 to 1. */
function similarityOf(one: string, other: string): number {
  const pairs = (text: string): readonly string[] =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
  const [first, second] = [pairs(one), pairs(other)];
  const left: Net = new Map();
  for (const pair of second) add(left, pair, 1);
  const common = first.filter((pair) => {
    const isCommon = (left.get(pair) ?? 0) > 0;
    if (isCommon) add(left, pair, -1);
    return isCommon;
  }).length;
  return first.length + second.length === 0 ? 0 : (2 * common) / (first.length + second.length);
}
