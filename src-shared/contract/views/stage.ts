/** How far a run is, or the part of one orchestrator. */
export type Stage =
  | "idle"
  | "planning"
  /** Reviewers look at sessions outside Hox, and nobody plans anything. */
  | "watching"
  | "executing"
  | "integrating"
  | "validating"
  | "learning"
  | "landing"
  | "complete"
  | "failed"
  | "stopped";
