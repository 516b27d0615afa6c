import { shownLine } from "../../domain/text/shown-text.ts";
import {
  type CardBase,
  type CardKind,
  type YesOrNoAnswer,
  yesOrNo,
  yesOrNoAnswer,
  yesOrWhyNot,
} from "./card.ts";

export interface SandboxCard extends CardBase {
  readonly kind: "sandbox";
  readonly description: string;
}

export const sandboxKind: CardKind<SandboxCard, YesOrNoAnswer> = {
  ...yesOrNo,
  title: "Sandbox",
  tone: "danger",
  gate: null,
  answer: yesOrNoAnswer,
  headline: () => "Commands without a sandbox?",
  from: () => null,
  options: () => yesOrWhyNot("lets commands run without a sandbox", "does not run commands"),
  lines: (item) => [`Agent commands would run without a sandbox: ${shownLine(item.description)}`],
};
