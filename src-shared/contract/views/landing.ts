/** What taking a landing back would do. */
export interface UndoLandingPreview {
  readonly bookmark: string;
  /** Where the branch stood before; null: there was none, and it goes away. */
  readonly from: string | null;
  readonly to: string;
  /** Titles of the commits that come off the branch, newest first. They stay on the graph. */
  readonly commits: readonly string[];
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

/** Where a run would stand when nothing else is said. */
export interface RunBaseView {
  /** The branch that the person is on, by Git; null for whoever works with jj, and where HEAD is at a commit. */
  readonly standsOn: string | null;
  readonly trunk: string | null;
  /** What it would be built on; null: there is no commit yet. */
  readonly base: BaseCommitView | null;
  /** What the person's files stand on, where the base has not all of that. */
  readonly leftOut: BaseCommitView | null;
}

export interface BaseCommitView {
  readonly changeId: string;
  readonly commitId: string;
  readonly title: string;
}
