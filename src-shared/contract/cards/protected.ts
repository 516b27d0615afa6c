import type { CardBase } from "./card.ts";

/** Changes to protected files that were taken out of an agent's change. */
export interface ProtectedCard extends CardBase {
  readonly kind: "protected";
  readonly worker: string;
  readonly paths: readonly string[];
  /** Holds them as they were found. */
  readonly commitId: string;
  readonly diff: string;
}
