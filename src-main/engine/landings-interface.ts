import type { Landed, LandingEvent } from "#shared/domain/landing/landing-events.ts";

type LandingFate = Extract<LandingEvent, { kind: "LandingUndone" | "LandingRedone" | "LandingReverted" }>;

/** What the runs of a repository say of their landings, and the branches that they landed on. */
export interface Landings {
  /** What this run landed, if it did. */
  of(run: string): Landed | null;
  /** Says once that a landing was undone, restored or reverted. */
  tell(run: string, event: LandingFate): void;
  /** Reads the branches, and updates the runs whose landing changed. */
  follow(): Promise<void>;
  /**
   * The same after a write of ours. A branch that a landing created and that this write deleted counts as
   * undone; a later deletion by the user does not.
   */
  during<T>(write: () => Promise<T>): Promise<T>;
}
