import type { RunSummary } from "./run.ts";

export interface RepositoryView {
  readonly path: string;
  readonly name: string;
  /** True for the copy of the bundled example that a rehearsal works on. */
  readonly rehearsal: string | null;
  readonly runs: readonly RunSummary[];
  /** Names of local bookmarks that a result may land on. */
  readonly mainBookmark: string | null;
  /** Another host works here (which one): this one shows the repository and changes nothing. */
  readonly heldBy?: string;
}
