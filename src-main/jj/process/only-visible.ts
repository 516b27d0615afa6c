const commitId = /^[0-9a-f]{40,}$/;

/**
 * A revision for a write. A commit id still names a commit after it was rewritten, and a write on top of it
 * would make it visible again with its ancestors, all divergent with their successors. So a commit id counts
 * only while it is visible; other expressions mean visible commits anyway. (HOX-1.1)
 * @param revision a commit id, or any other expression of jj's language
 * @returns an expression; jj refuses it with a JjError `rewritten` if the commit is hidden
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
