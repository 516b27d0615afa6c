/**
 * Two agents whose current work would conflict according to an unpublished trial merge. Nothing is in
 * conflict yet. (design section 4)
 */
export interface RadarPair {
  /** Names of workers; `a` is the first of the two in the order of `byNumber`. */
  readonly a: string;
  readonly b: string;
  /** Files on which they meet, in order of their names. */
  readonly files: readonly string[];
}

/** One file that a trial merge leaves in conflict, and who meets whom in it. */
interface Meeting {
  readonly path: string;
  readonly pairs: readonly (readonly [string, string])[];
}

/** More pairs than this say nothing that fewer do not. */
const maxPairs = 24;

/**
 * Names in the order that people count in: `agent-2` before `agent-10`.
 * @returns negative when `one` comes first, as `sort` wants it
 */
const byNumber = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });

/**
 * Gathers what trial merges found file by file into pairs of workers.
 * @param meetings who meets whom in which file
 * @param most where there are more pairs, first come those through which every worker that meets anyone is named at
 *   least once, then those that share most files
 */
export function pairsOf(meetings: readonly Meeting[], most = maxPairs): readonly RadarPair[] {
  const found = new Map<string, { readonly a: string; readonly b: string; readonly files: Set<string> }>();
  for (const { path, pairs } of meetings)
    for (const [one, other] of pairs) {
      if (one === other) continue;
      const [a = one, b = other] = [one, other].sort(byNumber);
      const key = JSON.stringify([a, b]);
      const known = found.get(key) ?? { a, b, files: new Set() };
      found.set(key, known);
      known.files.add(path);
    }
  const all = [...found.values()]
    .map(({ a, b, files }): RadarPair => ({ a, b, files: [...files].sort() }))
    .sort(
      (one, other) =>
        other.files.length - one.files.length || byNumber(one.a, other.a) || byNumber(one.b, other.b),
    );
  if (all.length <= most) return all;
  const named = new Set<string>();
  const first = all.filter(({ a, b }) => {
    const isNews = !named.has(a) || !named.has(b);
    if (isNews) named.add(a).add(b);
    return isNews;
  });
  return [...first, ...all.filter((pair) => !first.includes(pair))].slice(0, most);
}

/**
 * Whom one worker is about to meet, and where.
 * @returns the other worker of each of its pairs, in the order of the pairs
 */
export const meetingsOf = (
  pairs: readonly RadarPair[],
  worker: string,
): readonly { readonly other: string; readonly files: readonly string[] }[] =>
  pairs.flatMap(({ a, b, files }) =>
    a === worker ? [{ other: b, files }] : b === worker ? [{ other: a, files }] : [],
  );

/** Whether two results say the same. */
export const samePairs = (one: readonly RadarPair[], other: readonly RadarPair[]): boolean =>
  JSON.stringify(one.map(({ a, b, files }) => [a, b, files])) ===
  JSON.stringify(other.map(({ a, b, files }) => [a, b, files]));
