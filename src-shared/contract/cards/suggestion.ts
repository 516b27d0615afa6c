import { z } from "zod";
import type { Priority } from "../../domain/change-metadata/metadata.ts";
import { block, shownLine, shownName } from "../../domain/text/shown-text.ts";
import { type CardBase, type CardKind, decisionKeys, isNo, isYes, reject } from "./card.ts";

/** An archangel thinks that something should be done. Nobody waits for the answer. (AX-11) */
export interface SuggestionCard extends CardBase {
  readonly kind: "suggestion";
  /** The archangel. */
  readonly agent: string;
  /** The worker, or the session outside Hox, whose work led to it. */
  readonly session: string | null;
  readonly suggestion: string;
  readonly context: string;
  readonly priority: Priority;
  readonly files: readonly string[];
  /** Workers that can take a message now, the one whose work led to it first. */
  readonly recipients: readonly string[];
  /** Whether the plan still takes a task. */
  readonly canBeTask: boolean;
}

const answer = z.discriminatedUnion("kind", [
  /** A task of the running plan. */
  z.strictObject({ kind: z.literal("task") }),
  /** A message to one agent. */
  z.strictObject({ kind: z.literal("message"), to: z.string().min(1).max(200) }),
  /** A goal for later. */
  z.strictObject({ kind: z.literal("idea") }),
  reject,
]);
type SuggestionAnswer = z.infer<typeof answer>;

const noTask = "The plan accepts no more tasks.";

export const suggestionKind: CardKind<SuggestionCard, SuggestionAnswer> = {
  title: "Suggestion",
  // Not a question's tone: no work waits for it.
  tone: "neutral",
  gate: null,
  isInert: true,
  answer,
  headline: ({ suggestion }) => suggestion,
  from: ({ agent }) => agent,
  options: ({ canBeTask, recipients: [first] }) => [
    ...(canBeTask
      ? [{ key: decisionKeys.approve, typed: "task", does: "adds it to the plan as a task" }]
      : []),
    ...(first === undefined
      ? []
      : [
          {
            key: "m",
            typed: "message",
            does: `sends it to ${first}; add a name to choose another recipient`,
          },
        ]),
    { key: "i", typed: "idea", does: "saves it as an idea for a later run" },
    { key: decisionKeys.reject, typed: "n", does: "dismisses it permanently" },
  ],
  lines: (item) => [
    `${item.agent} suggests${item.session === null ? "" : `, after reviewing ${shownName(item.session)}`}: ${shownLine(item.suggestion)}`,
    `  priority: ${item.priority}`,
    ...(item.files.length > 0 ? [`  files: ${item.files.map(shownName).join(", ")}`] : []),
    ...block(item.context),
  ],
  question: ({ canBeTask, recipients }) =>
    `Take it as ${[...(canBeTask ? ["task"] : []), ...(recipients.length > 0 ? ["message"] : []), "idea"].join(", ")}, or dismiss it [n]? No agent waits for the answer.`,
  understand({ recipients: [first], canBeTask }, typed) {
    const word = typed.toLowerCase();
    if (word === "task" || isYes(typed)) return canBeTask ? { kind: "task" } : { kind: "idea" };
    if (word === "idea") return { kind: "idea" };
    const to = /^message(?:\s+(\S+))?$/iu.exec(typed);
    if (to !== null) {
      const name = to[1] ?? first;
      return name === undefined ? null : { kind: "message", to: name };
    }
    return isNo(typed) ? { kind: "reject", reason: "" } : null;
  },
  whyNot: () => "Answer with task, message, idea or n.",
  answerInAdvance: () => null,
  refusal({ canBeTask, recipients }, given) {
    if (given.kind === "task" && !canBeTask)
      return { message: noTask, remedy: "Save it as an idea, or send it to an agent." };
    if (given.kind === "message" && !recipients.includes(given.to))
      return {
        message: `${given.to} takes no messages.`,
        remedy:
          recipients.length > 0
            ? `Choose one of: ${recipients.join(", ")}.`
            : "Save it as an idea; no agent is working.",
      };
    return null;
  },
};
