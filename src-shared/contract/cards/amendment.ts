import { contextNote, type PlannedTask } from "../../domain/plan/plan.ts";
import { shownLine, shownName } from "../../domain/text/shown-text.ts";
import {
  type CardBase,
  type CardKind,
  type YesOrNoAnswer,
  yesOrNo,
  yesOrNoAnswer,
  yesOrWhyNot,
} from "./card.ts";

/** An orchestrator wants more tasks in its plan while it is carried out. (HYLO-10) */
export interface AmendmentCard extends CardBase {
  readonly kind: "amendment";
  readonly from: string;
  /** Those with `delegate` get an orchestrator each, the others an agent. */
  readonly tasks: readonly PlannedTask[];
  readonly reason: string;
  /** Why the user is asked although such plans are approved automatically; empty if they never are. */
  readonly problems: readonly string[];
}

export const amendmentKind: CardKind<AmendmentCard, YesOrNoAnswer> = {
  ...yesOrNo,
  title: "More tasks",
  tone: "accent",
  // The plan's own view shows more.
  gate: "plan",
  answer: yesOrNoAnswer,
  headline: ({ tasks }) => tasks.map((task) => task.title).join(", "),
  from: ({ from }) => from,
  options: () => yesOrWhyNot("adds the tasks", "leaves the plan as it is"),
  lines: (item) => [
    `${item.from} wants to add ${item.tasks.length === 1 ? "a task" : `${item.tasks.length} tasks`} to its plan`,
    `  ${shownLine(item.reason)}`,
    ...item.problems.map((problem) => `  problem: ${shownLine(problem)}`),
    ...item.tasks.map(
      (task) =>
        `  ${shownLine(task.title)} (${task.delegate ? "an orchestrator" : "an agent"}${contextNote(task) && `, ${contextNote(task)}`}): ${task.files.map(shownName).join(" ")}`,
    ),
  ],
};
