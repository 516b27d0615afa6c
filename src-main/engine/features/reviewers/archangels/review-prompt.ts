/** Prompts of an archangel: everything in the first, then only what is new. (AX-10) */

import type { ArchangelWake } from "#shared/domain/archangel/archangel.ts";
import {
  type CommentRecord,
  type DueReview,
  deliveryTo,
  type Moment,
  newReplies,
  type ReviewedMaterial,
} from "#shared/domain/archangel/archangel-records.ts";
import { type Orientation, planText, todosText } from "#shared/domain/orientation/run-orientation.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import type { Run } from "../../../ports.ts";
import { orientationOf } from "../../agents/orientation/feature.ts";
import { sessionsOf } from "../outside-sessions/feature.ts";
import { seenAs, type WorkToSee } from "./work-seen.ts";

export function reviewPrompt(
  run: Run,
  archangel: string,
  due: DueReview,
  work: readonly WorkToSee[],
): { readonly text: PromptText; readonly delivered: ReviewedMaterial } {
  const delivery = deliveryTo(run.facts.archangels, archangel);
  const oriented = orientationOf(run, null);
  const { plan: planHash = null, todos: todosHash = null } = oriented?.hashes ?? {};
  const isFirst = !delivery.initialized;
  const value = oriented?.value ?? null;
  const text = prompt(
    promptLine`[REVIEW]`,
    ...(value === null
      ? []
      : isFirst
        ? everything(value)
        : [
            planHash === delivery.planHash ? nothing : section("Update: the plan", planLines(value)),
            todosHash === delivery.todosHash
              ? nothing
              : section("Update: the task list", [quoteText(todosText(value.todos))]),
            due.moments.some(({ wake }) => wake === "decision_applied")
              ? section("Update: the decisions", decisionLines(value))
              : nothing,
          ]),
    section("What happened", due.moments.map(momentLine)),
    ...work.filter(({ files }) => files.length > 0).map((one) => workSection(run, one)),
    section("Answers to your comments", due.replied.flatMap(replyLines)),
    endLine,
  );
  const delivered: ReviewedMaterial = {
    upTo: due.upTo,
    planHash,
    todosHash,
    seen: seenAs(work),
    heard: Object.fromEntries(due.replied.map(({ id, replies }) => [id, replies.length])),
  };
  return { text, delivered };
}

const nothing: PromptText = section("", []);

/** Ends every review. */
export const endLine: PromptText = promptLine`Comment or suggest if it helps, then end with nothing_to_say.`;

const everything = (value: Orientation): readonly PromptText[] => [
  section("Goal", [quoteText(value.goal)]),
  section("Plan", value.plan === null ? [promptLine`There is none yet.`] : planLines(value)),
  section("Task list", [quoteText(todosText(value.todos))]),
  section("Decisions", decisionLines(value)),
];

/** What it has to know however much of its conversation was left out. */
export function whatArchangelKnows(run: Run): PromptText {
  const value = orientationOf(run, null)?.value;
  return value ? prompt(...everything(value)) : nothing;
}

const planLines = ({ plan }: Orientation): readonly PromptText[] =>
  plan === null ? [promptLine`There is none any more.`] : [quoteText(planText(plan))];

const decisionLines = ({ decisions }: Orientation): readonly PromptText[] =>
  decisions.map(({ title, reason }) => promptLine`- ${title}: ${reason}`);

const happened: Readonly<Record<ArchangelWake, string>> = {
  iteration_saved: "saved an iteration",
  work_offered: "offers its work as finished",
  plan_changed: "has a plan that is new or another one",
  decision_applied: "applied a decision",
  phase_end: "finished a phase",
  idle: "waits; nothing has moved for a while",
  session_turn: "ended a turn, in the user's own terminal",
};

const momentLine = ({ who, wake }: Moment): PromptText => promptLine`- ${who}: ${happened[wake]}.`;

function workSection(run: Run, { who, commit, files, diff }: WorkToSee): PromptText {
  const oriented = commit === null ? sessionsOf(run).orientationOf(who) : orientationOf(run, who);
  const value = oriented?.value ?? null;
  const step = value?.plan?.step ?? null;
  return section(`Work of ${who}`, [
    ...(value === null ? [] : [promptLine`For the goal: ${value.goal}`]),
    ...(step === null
      ? []
      : [promptLine`It is step ${step} of the plan: ${value?.plan?.steps[step - 1]?.title ?? ""}`]),
    ...(commit === null && value?.plan ? [promptLine`Its own plan:`, ...planLines(value)] : []),
    ...(value === null || value.todos.length === 0
      ? []
      : [promptLine`Its own steps:`, quoteText(todosText(value.todos))]),
    promptLine`Files that are new to you:`,
    ...pathLines(files),
    ...(diff === "" ? [] : [promptLine`What changed in them since you looked:`, quoteText(diff)]),
  ]);
}

const replyLines = (comment: CommentRecord): readonly PromptText[] => [
  promptLine`- To ${comment.id} (${comment.path ?? "the change"}: ${comment.text})`,
  ...newReplies(comment).map(
    ({ by, text }) => promptLine`  ${by === "you" ? "the user" : by} answers: ${text}`,
  ),
];
