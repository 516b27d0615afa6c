import { z } from "zod";
import { isBlocking, outcomeText } from "../../domain/project/preflight.ts";
import { nearestWord } from "../../domain/text/nearest-word.ts";
import { block, shownLine } from "../../domain/text/shown-text.ts";
import { evidenceLabel, noSeatAsked, type ValidationView } from "../../domain/validation/panel.ts";
import type { FailedRound } from "../../domain/validation/rounds.ts";
import { type CardBase, type CardKind, decisionKeys } from "./card.ts";

/** A failed verdict, after automatic repairs: the user decides about the result. */
export interface VotesCard extends CardBase {
  readonly kind: "votes";
  /** Of the commit that would land: each seat's vote, and failed checks. */
  readonly validation: ValidationView;
  /** The phase that does not hold, where it is not the result: `land` begins the next one. Absent for the result. */
  readonly phase?: { readonly orchestrator: string; readonly number: number };
  /** The change that holds the result. */
  readonly changeId: string;
  /** Verdicts that failed before this one and what was repaired after each, the first first. */
  readonly rounds: readonly FailedRound[];
  /** Automatic repair rounds. */
  readonly repairRounds: number;
  /** What the run has cost until now. */
  readonly microDollars: number;
}

const answer = z.discriminatedUnion("kind", [
  // One more round: the integrator reads the words, and the seats judge what it makes.
  z.strictObject({ kind: z.literal("repair"), words: z.string().trim().max(20_000).optional() }),
  // The commit on the card and no other; why is kept on its change.
  z.strictObject({ kind: z.literal("land"), reason: z.string().trim().min(1).max(2_000) }),
  // The run ends as rejected; its work stays.
  z.strictObject({ kind: z.literal("stop") }),
]);
type VotesAnswer = z.infer<typeof answer>;

/** How the verdict failed, in the same words everywhere. */
export function formatFailedVerdict(
  { verdict, seats, quorum, checks }: ValidationView,
  of = "the result",
): string {
  const approvals = seats.filter(({ vote, counted }) => counted && vote === "approve").length;
  const rejections = seats.filter(({ vote, counted }) => counted && vote === "reject").length;
  const silent = seats.filter(({ vote }) => vote === "timed-out").length;
  const failed = checks.filter(isBlocking).length;
  if (verdict === "vetoed") return `${failed === 1 ? "A check fails" : `${failed} checks fail`} on ${of}`;
  if (verdict === "rejected") return `Rejected: ${approvals} of ${seats.length} approved, ${quorum} required`;
  const words = `No verdict: ${approvals} of ${quorum} approvals`;
  if (silent === 0) return `${words}, ${rejections} against`;
  return `${words}${rejections === 0 ? "" : `, ${rejections} against`}, and ${silent === 1 ? "one seat" : `${silent} seats`} timed out`;
}

function headlineOf({ validation, phase }: VotesCard): string {
  if (phase === undefined) return formatFailedVerdict(validation);
  const words = formatFailedVerdict(validation, `phase ${phase.number}`);
  return validation.verdict === "vetoed" ? words : `Phase ${phase.number} is not approved. ${words}`;
}

export const votesKind: CardKind<VotesCard, VotesAnswer> = {
  title: "Verdict",
  tone: "danger",
  // Nobody can say in advance what is wrong with a result, or why it is good all the same.
  gate: null,
  answer,
  headline: headlineOf,
  from: ({ phase }) => phase?.orchestrator ?? null,
  options: ({ phase }) => [
    { key: decisionKeys.approve, typed: "repair", does: "has it repaired and validated again" },
    { key: null, typed: "repair keep the old name", does: "the same, with instructions for the repair" },
    {
      key: null,
      typed: `${goingOn(phase)} the check is wrong`,
      does:
        phase === undefined
          ? "continues to landing; your reason is recorded on the change"
          : "starts the next phase anyway; your reason is recorded on the change",
    },
    { key: decisionKeys.reject, typed: "stop", does: "ends the run as rejected; its work is kept" },
  ],
  lines: (item) => [
    `${headlineOf(item)} (round ${item.validation.attempt}, ${item.validation.commitId.slice(0, 12)})`,
    ...seatLines(item.validation),
    ...item.validation.checks
      .filter(isBlocking)
      .flatMap((check) => [
        `  ${shownLine(check.name)} ${outcomeText[check.outcome]}: ${shownLine(check.command)}`,
        ...block(check.output),
      ]),
    ...item.rounds.flatMap(roundLines),
    `  spent so far: $${(item.microDollars / 1e6).toFixed(2)}`,
  ],
  question: ({ phase }) => `How do you want to continue? [${choices(phase)}]`,
  understand({ phase }, typed) {
    const { word, rest } = readTyped(typed);
    switch (word) {
      case "repair":
        return rest === "" ? { kind: "repair" } : { kind: "repair", words: rest };
      case "land":
      case goingOn(phase):
        return rest === "" ? null : { kind: "land", reason: rest };
      case "stop":
        return rest === "" ? { kind: "stop" } : null;
      default:
        return null;
    }
  },
  whyNot({ phase }, typed) {
    const { word, rest } = readTyped(typed);
    const on = goingOn(phase);
    if (word === "land" || word === "continue")
      return phase === undefined
        ? "Give a reason to override the verdict: land <why>. It is recorded on the change."
        : "Give a reason to start the next phase anyway: continue <why>. It is recorded on the change.";
    if (word === "stop" && rest !== "")
      return "stop takes no text. To give instructions for the repair: repair <instructions>.";
    const near = nearestWord(word, ["repair", on, "stop"]);
    return `"${shownLine(word)}" is not a valid answer. ${near === null ? "" : `Did you mean ${near}? `}Use one of: ${choices(phase)}.`;
  },
  answerInAdvance: () => null,
};

/** The typed word for overriding the verdict: a phase does not land. */
const goingOn = (phase: VotesCard["phase"]): string => (phase === undefined ? "land" : "continue");

const choices = (phase: VotesCard["phase"]): string =>
  `repair, repair <instructions>, ${goingOn(phase)} <why>, or stop`;

/** The first word that was typed, and what follows it. */
function readTyped(typed: string): { readonly word: string; readonly rest: string } {
  const [, first = typed, rest = ""] = /^([^\s,:]+)[\s,:]*(.*)$/su.exec(typed) ?? [];
  return { word: first.toLowerCase(), rest };
}

/** No votes are taken if a check fails. */
function seatLines({ seats, verdict }: ValidationView): readonly string[] {
  const spoke = seats.filter(({ vote }) => vote !== "pending");
  return [
    ...spoke.map(
      (seat) =>
        `  ${seat.seat} (${evidenceLabel(seat.evidence)}) ${seat.vote}${seat.counted ? "" : ", not counted"}${seat.judges === undefined ? "" : `, ${seat.judges} judges in turn`}: ${shownLine(seat.reason)}`,
    ),
    ...(verdict === "vetoed" && seats.length > 0 && spoke.length === 0 ? [`  ${noSeatAsked}`] : []),
  ];
}

const roundLines = ({ attempt, verdict, reasons, repair }: FailedRound): readonly string[] => [
  `  round ${attempt} was ${verdict}: ${shownLine(reasons.join("; "))}`,
  ...(repair.words === "" ? [] : [`    you said: ${shownLine(repair.words)}`]),
  `    repaired: ${shownLine(repair.summary === "" ? "no summary" : repair.summary)}`,
];
