import { block, shownLine, shownName } from "../../domain/text/shown-text.ts";
import {
  type CardBase,
  type CardKind,
  type YesOrNoAnswer,
  yesOrNo,
  yesOrNoAnswer,
  yesOrWhyNot,
} from "./card.ts";

export interface MutationCard extends CardBase {
  readonly kind: "mutation";
  readonly from: string;
  readonly title: string;
  readonly reason: string;
  readonly diff: string;
  /** It is too long to be shown whole. */
  readonly isDiffCut?: boolean;
  readonly binds: readonly string[];
  /** Found by a dry run on the real graph. */
  readonly conflicts: readonly {
    readonly worker: string;
    readonly changeId: string;
    readonly files: readonly string[];
  }[];
}

export const mutationKind: CardKind<MutationCard, YesOrNoAnswer> = {
  ...yesOrNo,
  title: "Decision",
  tone: "warning",
  gate: "mutations",
  answer: yesOrNoAnswer,
  headline: ({ title }) => title,
  from: ({ from }) => from,
  options: () => yesOrWhyNot("applies the decision to all agents it binds", "changes nothing"),
  lines: (item) => [
    `${item.from} decides: ${shownLine(item.title)}`,
    `  ${shownLine(item.reason)}`,
    `  binds ${item.binds.map(shownName).join(", ") || "no agents yet"}`,
    ...item.conflicts.map(
      (conflict) => `  will conflict: ${conflict.worker} in ${conflict.files.map(shownName).join(", ")}`,
    ),
    ...block(item.diff),
    ...(item.isDiffCut ? ["  Diff too long. Only the first part is shown."] : []),
  ],
};
