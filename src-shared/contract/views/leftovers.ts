/** What became of the workspaces of runs that are over, as absolute paths. */
export interface CleanUp {
  readonly removed: readonly string[];
  /** They hold what jj does not record. */
  readonly kept: readonly { readonly folder: string; readonly reason: string; readonly remedy: string }[];
  /** Branches of agents, by name, and how many messages went with them. */
  readonly branches: readonly string[];
  readonly messages: number;
}

/** What runs that are over have left on the graph and for Git. */
export interface Leftovers {
  readonly workspaces: readonly string[];
  readonly branches: readonly string[];
  readonly messages: number;
  /** Work that has not landed, by run. It is only named. */
  readonly work: readonly {
    readonly run: string;
    readonly goal: string;
    readonly changes: readonly { readonly changeId: string; readonly title: string }[];
  }[];
}
