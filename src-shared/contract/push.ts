/** What a push of one bookmark would do on its remote. */
export interface PushPreview {
  readonly bookmark: string;
  /** Null: the repository has no remote. */
  readonly remote: string | null;
  /** In jj's words, such as `bookmark: main [move forward from 867d365d0f73 to e7f45b201fc0]`; none: it is there already. */
  readonly moves: readonly string[];
  /** Changes that the remote does not have yet, newest first; at most 500. */
  readonly changes: readonly { readonly changeId: string; readonly title: string }[];
  /** Commits whose metadata is in Git notes, where the remote was not seen to have these. */
  readonly notes: number;
}
