import type { CardBase } from "./card.ts";

export interface MutationCard extends CardBase {
  readonly kind: "mutation";
  readonly from: string;
  readonly title: string;
  readonly reason: string;
  readonly diff: string;
  readonly binds: readonly string[];
  /** Found by a dry run on the real graph. */
  readonly conflicts: readonly {
    readonly worker: string;
    readonly changeId: string;
    readonly files: readonly string[];
  }[];
}
