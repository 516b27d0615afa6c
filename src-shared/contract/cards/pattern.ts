import type { CardBase } from "./card.ts";

export interface PatternCard extends CardBase {
  readonly kind: "pattern";
  readonly name: string;
  readonly category: string;
  readonly markdown: string;
  readonly confidence: number;
  readonly gates: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly detail: string;
  }[];
}
