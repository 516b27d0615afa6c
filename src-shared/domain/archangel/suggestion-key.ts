import type { Suggestion } from "./archangel.ts";

/** Words that do not change the meaning. */
const small = new Set(["a", "an", "the", "to", "of", "in", "on", "for", "and", "please", "should", "must"]);

/**
 * A key that is equal for suggestions with the same meaning: ignoring small words, their order and case, for
 * the same files.
 *
 * @param suggestion as the archangel wrote it
 * @returns the key it is stored under
 */
export function suggestionKey({ suggestion, files }: Pick<Suggestion, "suggestion" | "files">): string {
  const words = suggestion.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const meant = [...new Set(words.filter((word) => !small.has(word)))].toSorted();
  return `${meant.join(" ")} | ${[...new Set(files)].toSorted().join(" ")}`;
}
