import { z } from "zod";
import { block, shownLine, shownName } from "../../domain/text/shown-text.ts";
import { line } from "../fields.ts";
import { approve, type CardBase, type CardKind, isYes, reject, yesOrNo } from "./card.ts";

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
  /** Other active runs that it can be put to as well. Absent: none. */
  readonly otherRuns?: readonly { readonly root: string; readonly goal: string }[];
}

const decision = z.discriminatedUnion("kind", [
  approve.extend({
    /** Roots of other active runs, whose cards then ask for it there. */
    also: z.array(line(20)).max(20).readonly().optional(),
  }),
  reject,
]);

const yesOrNoToDecision = yesOrNo("applies the decision to all agents it binds", "changes nothing");

export const mutationKind: CardKind<MutationCard, z.infer<typeof decision>> = {
  ...yesOrNoToDecision,
  answer: decision,
  options: ({ otherRuns = [] }) => [
    ...yesOrNoToDecision.options(),
    ...(otherRuns.length === 0
      ? []
      : [
          {
            key: null,
            typed: "y all",
            does: `also asks for it in the run of ${otherRuns.map(({ root }) => root).join(", ")}`,
          },
        ]),
  ],
  understand(item, typed) {
    const { otherRuns = [] } = item;
    const [word = "", all, ...more] = typed.split(/\s+/u);
    return isYes(word) && all === "all" && more.length === 0 && otherRuns.length > 0
      ? { kind: "approve", also: otherRuns.map(({ root }) => root) }
      : yesOrNoToDecision.understand(item, typed);
  },
  title: "Decision",
  tone: "warning",
  gate: "mutations",
  headline: ({ title }) => title,
  from: ({ from }) => from,
  lines: (item) => [
    `${item.from} decides: ${shownLine(item.title)}`,
    `  ${shownLine(item.reason)}`,
    `  binds ${item.binds.map(shownName).join(", ") || "no agents yet"}`,
    ...item.conflicts.map(
      (conflict) => `  will conflict: ${conflict.worker} in ${conflict.files.map(shownName).join(", ")}`,
    ),
    ...(item.otherRuns ?? []).map(
      ({ root, goal }) => `  not in the run of ${root}: ${shownLine(goal)} (y all asks for it there)`,
    ),
    ...block(item.diff),
    ...(item.isDiffCut ? ["  Diff too long. Only the first part is shown."] : []),
  ],
};

/** A call that an agent of another make asks permission for, in its own words: untrusted. */
export interface RequestedCall {
  readonly locations: readonly { readonly path: string; readonly line: number | null }[];
  readonly command: string | null;
  /** What it gives its tool besides, as JSON; empty: nothing. */
  readonly input: string;
  /** Git-format; empty: it changes no file, as far as it says. */
  readonly diff: string;
  /** Whether any of these is too long to be shown whole. */
  readonly isCut: boolean;
}

/** A place in a file, as an agent names it. */
export const locationText = ({ path, line: at }: RequestedCall["locations"][number]): string =>
  `${shownName(path)}${at === null ? "" : `:${at}`}`;

/** Shown with a call that is not shown whole. */
export const callCutWarning = "Too long to show whole. Some of what this call does is not shown here.";

const callLines = ({ locations, command, input, diff, isCut }: RequestedCall): readonly string[] => [
  ...(locations.length === 0 ? [] : [`  in ${locations.map(locationText).join(", ")}`]),
  ...(command === null ? [] : ["  command:", ...block(command)]),
  ...(input === "" ? [] : ["  input:", ...block(input)]),
  ...(diff === "" ? [] : block(diff)),
  ...(isCut ? [`  ${callCutWarning}`] : []),
];

export interface QuestionCard extends CardBase {
  readonly kind: "align-request";
  readonly from: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly changeId: string | null;
  /** Absent: it is a question. */
  readonly call?: RequestedCall;
}

const answer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("answer"), text: z.string().min(1).max(20_000) }),
]);

export const questionKind: CardKind<QuestionCard, z.infer<typeof answer>> = {
  title: "Question",
  tone: "info",
  gate: "questions",
  answer,
  headline: ({ question }) => question.trim().split("\n", 1)[0] ?? question,
  from: ({ from }) => from,
  options: () => [
    { key: "1", typed: "1", does: "chooses that option, if there are options" },
    { key: null, typed: "use text", does: "answers in your own words" },
  ],
  lines: (item) => [
    `${item.from} asks: ${shownLine(item.question)}`,
    ...(item.call ? callLines(item.call) : []),
    ...item.options.map((option, index) => `  ${index + 1}. ${shownLine(option)}`),
  ],
  question: ({ options }) => (options.length > 0 ? "Number, or your own answer:" : "Your answer:"),
  understand({ options }, typed) {
    const option = /^\d+$/u.test(typed) ? options[Number(typed) - 1] : undefined;
    const text = option ?? typed;
    return text === "" ? null : { kind: "answer", text };
  },
  whyNot: () => "Invalid answer.",
  answerInAdvance({ options: [first] }) {
    return first === undefined ? null : { kind: "answer", text: first };
  },
};
