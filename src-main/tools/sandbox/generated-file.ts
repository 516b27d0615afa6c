/** A file for a command that exists in memory only. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}
