/** Reports events of a repository, and when this process has finished its writes. */
export interface Watcher {
  /**
   * Calls back with every new published operation id (bursts coalesced), first with the current one, so that
   * nothing after a read is missed. The returned function stops watching.
   */
  watch(onOperation: (operation: string) => void, onError: (error: Error) => void): () => void;
  /** Calls back when Git may have moved a branch, a tag or HEAD. The returned function stops watching. */
  watchGit(onChange: () => void, onError: (error: Error) => void): () => void;
  /** Resolves when every write queued so far is done. */
  idle(): Promise<void>;
  /** How many jj processes this repository has started, for the benchmarks. */
  processCount(): number;
  /** The same by command (`log`, `workspace add`), most first. */
  processesByCommand(): Readonly<Record<string, number>>;
}
