import type { CardBase } from "./card.ts";

export interface TroubleCard extends CardBase {
  readonly kind: "trouble";
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
  readonly worker: string | null;
  /** It keeps one agent from its task: that can wait or be given up while everyone else goes on. */
  readonly task?: boolean;
}
