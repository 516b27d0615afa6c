import type { Suggestion } from "./archangel.ts";

/** Words that change nothing about what is meant. */
const small = new Set(["a", "an", "the", "to", "of", "in", "on", "for", "and", "please", "should", "must"]);

/**
 * The same for suggestions that say the same: with other small words, in another order, spelled otherwise in large and small
 * letters, about the same files.
 *
 * @param suggestion as an archangel said it
 * @returns what it is kept under
 */
export function suggestionKey({ suggestion, files }: Pick<Suggestion, "suggestion" | "files">): string {
  const words = suggestion.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const meant = [...new Set(words.filter((word) => !small.has(word)))].toSorted();
  return `${meant.join(" ")} | ${[...new Set(files)].toSorted().join(" ")}`;
}
