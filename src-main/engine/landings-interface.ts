import type { Landed, LandingEvent } from "#shared/domain/landing/landing-events.ts";

type LandingFate = Extract<LandingEvent, { kind: "LandingUndone" | "LandingRedone" | "LandingReverted" }>;

/** What the runs of a repository say of their landings, and the branches that they landed on. */
export interface Landings {
  /** What this run landed, if it did. */
  of(run: string): Landed | null;
  /** Says once that a landing was undone, restored or reverted. */
  tell(run: string, event: LandingFate): void;
  /** Looks where the branches stand, and tells the runs for which that is news. */
  follow(): Promise<void>;
  /**
   * The same after a write of ours. A branch that a landing had made new and that is gone after it was taken back by it; one
   * that somebody deletes later only served its purpose.
   */
  during<T>(write: () => Promise<T>): Promise<T>;
}
