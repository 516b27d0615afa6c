import { useMemo } from "react";
import { readFilterText } from "#shared/domain/revset/parse.ts";
import { completeRevset, type Suggestion } from "#shared/domain/revset/revset.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { useRefs } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";

export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
  /** Nothing else can be meant: Tab takes the first. */
  readonly isRevset: boolean;
}

const shown = 8;
/** Fewer letters of a plain word would bring the list up with every search. */
const lettersFirst = 3;

/** Completions at the cursor: always in a revset, in plain text only where a word starts like a function. */
export function useCompletion(text: string, cursor: number): Completion | null {
  const isAsked = text.trim() !== "";
  // Agents at work change many times a second, which an empty field does not follow.
  const workers = useHost((state) => (isAsked ? state.run?.workers : undefined));
  const runs = useHost((state) => (isAsked ? state.repository?.runs : undefined));
  const { bookmarks } = useRefs();
  return useMemo(() => {
    const asked = readFilterText(text);
    if (asked.kind === "nothing" && !text.trim().startsWith("=")) return null;
    const isRevset = asked.kind !== "words";
    // The sign in front is not part of the language.
    const at = /^\s*=/u.exec(text)?.[0].length ?? 0;
    if (cursor < at) return null;
    const { from, to, items } = completeRevset(text.slice(at), cursor - at, {
      agents: (workers ?? []).filter(({ role }) => roles[role].canWriteTask).map(({ name }) => name),
      orchestrators: (workers ?? []).filter(({ role }) => roles[role].isLead).map(({ name }) => name),
      runs: (runs ?? []).map(({ id }) => id),
      bookmarks: Object.keys(bookmarks),
    });
    const typed = text.slice(at + from, cursor);
    if (!isRevset && (typed.length < lettersFirst || text.trim() !== typed)) return null;
    const fitting = isRevset
      ? items
      : items.filter(({ kind, insert }) => kind !== "bookmark" && insert.startsWith(typed));
    // What is already typed needs no list.
    const useful = fitting.filter(({ insert }) => insert !== text.slice(at + from, at + to)).slice(0, shown);
    return useful.length === 0 ? null : { from: from + at, to: to + at, items: useful, isRevset };
  }, [text, cursor, workers, runs, bookmarks]);
}
