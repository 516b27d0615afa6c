/** Looks for words in what a change says of itself. */
import type { Change, Refs } from "./change.ts";
import { namesByCommit } from "./change-graph.ts";

const texts = new WeakMap<Change, string>();

/** Description, who works on it and its ids, in small letters; a change never says anything else. */
function textOf(change: Change): string {
  const known = texts.get(change);
  if (known !== undefined) return known;
  const { agent = "", orchestrator = "", run = "" } = change.metadata;
  const text = [change.description, agent, orchestrator, run, change.author.name].join("\n").toLowerCase();
  texts.set(change, text);
  return text;
}

/** Fewer would be found at the beginning of any id. */
const lettersOfId = 4;

/**
 * Commit ids of the changes in which every word occurs: in its description, agent, author or names, as the beginning of an id,
 * or in the path of a file.
 * @param words in small letters
 * @param touching word → commits that touch a file with it in its path, as far as that is known
 */
export function searchChanges(
  { changes, refs }: { readonly changes: readonly Change[]; readonly refs: Refs },
  words: readonly string[],
  touching: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const names = namesByCommit(refs);
  const isNamed = (commit: string, word: string): boolean => {
    const { bookmarks = [], workspaces = [] } = names.get(commit) ?? {};
    return [...bookmarks, ...workspaces].some((name) => name.toLowerCase().includes(word));
  };
  const found = new Set<string>();
  for (const change of changes) {
    const { commitId, changeId } = change;
    const isThere = words.every(
      (word) =>
        textOf(change).includes(word) ||
        (word.length >= lettersOfId && (changeId.startsWith(word) || commitId.startsWith(word))) ||
        touching.get(word)?.has(commitId) ||
        isNamed(commitId, word),
    );
    if (isThere) found.add(commitId);
  }
  return found;
}
