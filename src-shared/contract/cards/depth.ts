import { shownLine } from "../../domain/text/shown-text.ts";
import {
  type CardBase,
  type CardKind,
  type YesOrNoAnswer,
  yesOrNo,
  yesOrNoAnswer,
  yesOrWhyNot,
} from "./card.ts";

/** A plan wants orchestrators on a level that needs approval. (HYLO-11) */
export interface DepthCard extends CardBase {
  readonly kind: "depth";
  readonly from: string;
  /** Letter of the level that would be new. */
  readonly level: string;
  /** Levels that need no approval. */
  readonly allowed: number;
  readonly tasks: readonly { readonly title: string; readonly description: string }[];
  readonly reason: string;
}

export const depthKind: CardKind<DepthCard, YesOrNoAnswer> = {
  ...yesOrNo,
  title: "More levels",
  tone: "warning",
  gate: null,
  answer: yesOrNoAnswer,
  headline: ({ level }) => `Orchestrators on level ${level}?`,
  from: ({ from }) => from,
  options: () => yesOrWhyNot("allows the level", "has the task planned without it"),
  lines: (item) => [
    `${item.from} requests orchestrators on level ${item.level}; ${item.allowed} levels are allowed without approval`,
    `  ${shownLine(item.reason)}`,
    ...item.tasks.map((task) => `  for: ${shownLine(task.title)}`),
  ],
};
