import { shownLine } from "../../domain/text/shown-text.ts";
import { block } from "../../domain/text/text-block.ts";
import type { CardBase, CardKind } from "./card.ts";
import { type YesOrNoAnswer, yesOrNo, yesOrNoAnswer, yesOrWhyNot } from "./yes-or-no.ts";

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

export const patternKind: CardKind<PatternCard, YesOrNoAnswer> = {
  ...yesOrNo,
  title: "Learned pattern",
  tone: "accent",
  gate: "patterns",
  answer: yesOrNoAnswer,
  headline: ({ name }) => name,
  from: () => null,
  options: () => yesOrWhyNot("keeps the pattern for later runs", "drops it"),
  lines: (item) => [
    `A pattern to keep: ${shownLine(item.name)} (${shownLine(item.category)}, confidence ${item.confidence})`,
    ...item.gates.map(
      (gate) => `  ${gate.passed ? "passed" : "failed"}: ${shownLine(gate.name)} ${shownLine(gate.detail)}`,
    ),
    ...block(item.markdown),
  ],
};
