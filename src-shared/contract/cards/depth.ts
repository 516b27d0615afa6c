import type { CardBase } from "./card.ts";

/** A plan wants orchestrators on a level that needs a person's yes. (HYLO-11) */
export interface DepthCard extends CardBase {
  readonly kind: "depth";
  readonly from: string;
  /** Letter of the level that would be new. */
  readonly level: string;
  /** Levels that need nobody's yes. */
  readonly allowed: number;
  readonly tasks: readonly { readonly title: string; readonly description: string }[];
  readonly reason: string;
}
