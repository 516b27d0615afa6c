/** Which goals are most like one: what a result is held against should be of the same kind. */

const keywordsIn = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);

/** Share of the words that two texts have in common, of all that they have: 0 to 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = new Set([...one, ...other]).size;
  return all === 0 ? 0 : [...one].filter((word) => other.has(word)).length / all;
}

/**
 * In the order of their similarity to a goal; of equally similar ones the first given stays first.
 *
 * @param goal the user's text
 * @param others anything with a goal
 */
export function byLikeness<Other extends { readonly goal: string }>(
  goal: string,
  others: readonly Other[],
): readonly Other[] {
  const words = keywordsIn(goal);
  return others
    .map((other) => ({ other, like: likeness(words, keywordsIn(other.goal)) }))
    .sort((a, b) => b.like - a.like)
    .map(({ other }) => other);
}
