import type { PatternView } from "#shared/contract/views/pattern.ts";

/** The text of a pattern that is looked through, once for each list that comes. */
const searched = new WeakMap<PatternView, string>();

function searchedText(pattern: PatternView): string {
  const known = searched.get(pattern);
  if (known !== undefined) return known;
  const { id, title, body, taskTypes, contexts, sourceRun } = pattern;
  const text = [
    id,
    title,
    body,
    ...taskTypes,
    ...contexts.languages,
    ...contexts.folders,
    ...contexts.words,
    sourceRun?.id,
    sourceRun?.goal,
  ]
    .join("\n")
    .toLowerCase();
  searched.set(pattern, text);
  return text;
}

/** Those that have every one of the words somewhere, in the order in which they came. */
export function matchingPatterns(
  patterns: readonly PatternView[],
  { words, state }: { readonly words: string; readonly state: PatternView["state"] | "all" },
): readonly PatternView[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return patterns.filter(
    (pattern) =>
      (state === "all" || pattern.state === state) &&
      wanted.every((word) => searchedText(pattern).includes(word)),
  );
}
