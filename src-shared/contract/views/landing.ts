/** What taking a landing back would do. */
export interface UndoLandingPreview {
  readonly bookmark: string;
  /** The branch's earlier commit; null: there was none, and it is deleted. */
  readonly from: string | null;
  readonly to: string;
  /** Titles of the commits that come off the branch, newest first. They stay on the graph. */
  readonly commits: readonly string[];
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

/** The default base of a run. */
export interface RunBaseView {
  /** Git's current branch; null with jj only, and if HEAD is detached. */
  readonly standsOn: string | null;
  readonly trunk: string | null;
  /** What it would be built on; null: there is no commit yet. */
  readonly base: BaseCommitView | null;
  /** The parent of the user's files, if the base does not contain it. */
  readonly leftOut: BaseCommitView | null;
}

export interface BaseCommitView {
  readonly changeId: string;
  readonly commitId: string;
  readonly title: string;
}
