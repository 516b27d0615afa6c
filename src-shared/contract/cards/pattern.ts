import type { DiffedLine } from "../../domain/patterns/pattern.ts";
import { block, shownLine } from "../../domain/text/shown-text.ts";
import { type CardBase, type CardKind, type YesOrNoAnswer, yesOrNo } from "./card.ts";

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
  /** Which one it would be, from 1. */
  readonly version: number;
  /** Line by line against the version that was approved last; empty where there is none. */
  readonly changes: readonly DiffedLine[];
}

export const patternKind: CardKind<PatternCard, YesOrNoAnswer> = {
  ...yesOrNo("saves the pattern for future runs", "discards it"),
  title: "Learned pattern",
  tone: "accent",
  gate: "patterns",
  headline: ({ name }) => name,
  from: () => null,
  lines: (item) => [
    `${item.version > 1 ? `Version ${item.version} of a pattern` : "New pattern"}: ${shownLine(item.name)} (${shownLine(item.category)}, confidence ${item.confidence})`,
    ...item.gates.map(
      (gate) => `  ${gate.passed ? "passed" : "failed"}: ${shownLine(gate.name)} ${shownLine(gate.detail)}`,
    ),
    ...block(item.markdown),
    ...(item.changes.length === 0
      ? []
      : ["Changes since the previous version:", ...block(diffText(item.changes))]),
  ],
};

/** As in a patch, without the lines that stayed. */
const diffText = (lines: readonly DiffedLine[]): string =>
  lines
    .filter(({ kind }) => kind !== "same")
    .map(({ kind, text }) => `${kind === "added" ? "+" : "-"} ${text}`)
    .join("\n");
