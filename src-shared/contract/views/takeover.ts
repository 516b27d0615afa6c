/** The user's changes in a task that they took over. */
export interface TakeoverPreview {
  readonly worker: string;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** ms since 1970. */
  readonly since: number;
  readonly files: readonly string[];
  /** Git-format. */
  readonly diff: string;
}
