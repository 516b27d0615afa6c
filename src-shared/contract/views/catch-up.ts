/** A preview of moving the user's folder onto what landed. */
export interface CatchUpPreview {
  readonly bookmark: string;
  /** Its new parent. */
  readonly to: string;
  readonly title: string;
  /** It is already on that, or on a descendant: nothing to do. */
  readonly isThere: boolean;
  /** The user's own edits in the folder, which stay in their change; null: none. */
  readonly own: {
    readonly changeId: string;
    readonly title: string;
    readonly files: readonly string[];
  } | null;
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}
