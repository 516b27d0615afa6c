const commitId = /^[0-9a-f]{40,}$/;

/**
 * How a write names a revision. The id of a commit goes on naming it after somebody has rewritten it, and a write that
 * stands on it would show it again beside its successor, with all that is below it, each of them divergent from then
 * on. So a commit counts only while it is visible; other names mean what is visible by themselves. (HOX-1.1)
 * @param revision a commit id, or any other expression of jj's language
 * @returns an expression; jj refuses it with a JjError `rewritten` when the commit is hidden
 */
export const onlyVisible = (revision: string): string =>
  commitId.test(revision) ? `exactly(${revision} & ${visible}, 1)` : revision;

/** The visible ones of an expression's commits, which may be none. */
export const visibleAmong = (revset: string): string => `(${revset}) & ${visible}`;

// `visible()` would count a hidden commit that the same expression names.
const visible = "::visible_heads()";

/** Whether jj refused a command because a commit that it named (`onlyVisible`) is hidden. */
export const isHidden = (args: readonly string[], stderr: string): boolean =>
  /fewer than the expected 1 revisions/.test(stderr) && args.some((arg) => arg.includes(`& ${visible}, 1)`));
