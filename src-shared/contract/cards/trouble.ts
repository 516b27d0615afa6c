import { z } from "zod";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { outcomeText } from "../../domain/project/preflight.ts";
import { wayLines } from "../../domain/project/ways-on.ts";
import { block, shownLine } from "../../domain/text/shown-text.ts";
import { type CardBase, type CardKind, decisionKeys, reject } from "./card.ts";
import { changeCheck, leaveOut, unknownCheck, wayOn } from "./preflight.ts";

export interface TroubleCard extends CardBase {
  readonly kind: "trouble";
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
  readonly worker: string | null;
  /** It blocks one agent's task, which can wait or be given up while others continue. */
  readonly task?: boolean;
  /** The checks that keep failing on its work, and a command without what fails. Absent where none does. */
  readonly checks?: readonly {
    readonly name: string;
    readonly command: string;
    readonly outcome: CheckResult["outcome"];
  }[];
}

const answer = z.discriminatedUnion("kind", [
  // The words go to the agent whose trouble it is, with its next prompt.
  z.strictObject({ kind: z.literal("retry"), words: z.string().trim().max(20_000).optional() }),
  // Its agent waits until it is resumed.
  z.strictObject({ kind: z.literal("pause") }),
  z.strictObject({ kind: z.literal("abandon") }),
  // Both count for the whole run; then the agent tries again.
  leaveOut,
  changeCheck,
  reject,
]);
type TroubleAnswer = z.infer<typeof answer>;

export const troubleKind: CardKind<TroubleCard, TroubleAnswer> = {
  title: "Problem",
  tone: "danger",
  gate: null,
  answer,
  headline: ({ title }) => title,
  from: ({ worker }) => worker,
  options: ({ task, checks = [] }) =>
    task === true ? [...ofTask, ...(checks.length > 0 ? ofChecks : [])] : ofRun,
  lines: (item) => [
    `${item.worker ?? "The run"}: ${shownLine(item.title)}`,
    ...block(item.detail),
    `  ${shownLine(item.remedy)}`,
    ...(item.checks ?? []).flatMap((check) => [
      `  ${shownLine(check.name)} ${outcomeText[check.outcome]} (${shownLine(check.command)})`,
      ...wayLines(check.name, check.command, null).map((text) => shownLine(text)),
    ]),
  ],
  question: ({ task, worker, checks = [] }) =>
    task === true
      ? `Retry? [y, y and a message to ${worker}, pause, ${checks.length > 0 ? "out <check>, change <check> to <command>, " : ""}or abandon]`
      : "Retry? [y, or stop]",
  understand: ({ task, checks = [] }, typed) =>
    (task === true ? wayOn(checks, typed) : null) ?? understood(task === true, typed),
  whyNot: ({ task, worker }) =>
    task === true
      ? `Invalid answer. y retries, "y use the other file" retries with a message to ${worker}, pause pauses it, abandon abandons its task. \`hox stop\` stops the run.`
      : "Invalid answer. y retries, stop ends the run. Ctrl-C leaves the question for later.",
  answerInAdvance: () => null,
  // Stopping the run is a command to the run.
  refusal({ task, worker, title, checks = [] }, given) {
    const unknown = unknownCheck(checks, given, "that fails here", "Retry, or pause it.");
    if (unknown !== null) return unknown;
    if (task === true && given.kind === "reject")
      return {
        message: `A problem of ${worker ?? "one agent"} does not end the run.`,
        remedy: "Retry, pause it, or abandon its task. `hox stop` stops the run.",
      };
    if (task !== true && (given.kind === "pause" || given.kind === "abandon"))
      return {
        message: `“${title}” is a problem of the run, not of one task.`,
        remedy: "Retry, or stop the run.",
      };
    return null;
  },
};

const ofRun = [
  { key: decisionKeys.approve, typed: "y", does: "retries" },
  { key: decisionKeys.reject, typed: "stop", does: "ends the run; all work is saved" },
];

const ofTask = [
  { key: decisionKeys.approve, typed: "y", does: "retries" },
  { key: decisionKeys.approve, typed: "y use the other file", does: "retries with a message to the agent" },
  { key: decisionKeys.pause, typed: "pause", does: "pauses the agent" },
  { key: decisionKeys.abandon, typed: "abandon", does: "abandons its task" },
];

const ofChecks = [
  { key: null, typed: "out test", does: "stops counting that check in this run, and retries" },
  {
    key: null,
    typed: "change test to npm run test:unit",
    does: "replaces that check in this run, and retries",
  },
];

/** Only unambiguous answers: a typo must not end anything. */
function understood(isOfTask: boolean, typed: string): TroubleAnswer | null {
  const [, retry, words = ""] = /^(y(?:es)?)(?:[ ,:]+(.+))?$/isu.exec(typed) ?? [];
  if (retry !== undefined && (isOfTask || words === ""))
    return words === "" ? { kind: "retry" } : { kind: "retry", words };
  const word = typed.toLowerCase();
  if (!isOfTask) return word === "stop" ? { kind: "reject", reason: "Stopped at the terminal." } : null;
  return word === "pause" ? { kind: "pause" } : word === "abandon" ? { kind: "abandon" } : null;
}
