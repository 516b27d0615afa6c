import { shownLine } from "../../domain/text/shown-text.ts";
import { type CardBase, type CardKind, type YesOrNoAnswer, yesOrNo } from "./card.ts";

export interface SandboxCard extends CardBase {
  readonly kind: "sandbox";
  readonly description: string;
}

export const sandboxKind: CardKind<SandboxCard, YesOrNoAnswer> = {
  ...yesOrNo("lets commands run without a sandbox", "does not run commands"),
  title: "Sandbox",
  tone: "danger",
  gate: null,
  headline: () => "Commands without a sandbox?",
  from: () => null,
  lines: (item) => [`Agent commands would run without a sandbox: ${shownLine(item.description)}`],
};
