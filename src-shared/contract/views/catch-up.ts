/** What bringing the person's folder onto what landed would do. */
export interface CatchUpPreview {
  readonly bookmark: string;
  /** Its new parent. */
  readonly to: string;
  readonly title: string;
  /** It is already on that, or on a descendant: nothing to do. */
  readonly isThere: boolean;
  /** What the folder holds of the person's own, which stays as the change it is; null: nothing. */
  readonly own: {
    readonly changeId: string;
    readonly title: string;
    readonly files: readonly string[];
  } | null;
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}
