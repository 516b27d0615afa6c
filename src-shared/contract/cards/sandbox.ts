import type { CardBase } from "./card.ts";

export interface SandboxCard extends CardBase {
  readonly kind: "sandbox";
  readonly description: string;
}
