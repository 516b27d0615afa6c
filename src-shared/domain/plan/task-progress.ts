/** One task as seen by the run's stages; everything else about it is in jj. */
export interface TaskProgress {
  readonly task: string;
  /** 1 or more; phase 0 is the contracts, which are no task. */
  readonly phase: number;
  /** Tasks that must be done before. */
  readonly after: readonly string[];
  readonly state: "open" | "done" | "abandoned";
  /** Rises when a decision contradicts work that was done already, so that the task is worked on again. */
  readonly round: number;
}
