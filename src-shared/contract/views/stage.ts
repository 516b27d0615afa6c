/** How far a run is, or the part of one orchestrator. */
export type Stage =
  | "idle"
  | "planning"
  | "executing"
  | "integrating"
  | "validating"
  | "learning"
  | "landing"
  | "complete"
  | "failed"
  | "stopped";
