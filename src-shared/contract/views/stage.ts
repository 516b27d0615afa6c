/** How far a run is, or the part of one orchestrator. */
export type Stage =
  | "idle"
  | "planning"
  /** Reviewers read sessions outside Hox, without a plan. */
  | "watching"
  | "executing"
  | "integrating"
  | "validating"
  | "learning"
  | "landing"
  | "complete"
  | "failed"
  | "stopped";
