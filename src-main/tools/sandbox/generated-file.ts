/** A file that is written for a command, and stands nowhere on the disk. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}
