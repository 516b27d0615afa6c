/** Verdicts at a terminal: who judges, what each seat says, the verdict, and what happened to earlier ones of the panel. */
import type { RunView } from "#shared/contract/views/run.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import {
  evidenceLabel,
  formatApprovals,
  formatTolerance,
  type PhaseVerdict,
  type SeatView,
  strategyDescriptions,
  type ValidationView,
} from "#shared/domain/validation/panel.ts";
import { type PanelTrust, trustLine } from "#shared/domain/validation/panel-trust.ts";

/** What is new of the verdict on the result. */
export function voteLines(before: RunView | null, after: RunView): readonly string[] {
  const { validation } = after;
  if (validation === null) return [];
  const same = samePanel(before?.validation, validation);
  const lines = verdictLines(same, validation, after.trust);
  // On resume the present state is printed once, as not new.
  return before === null && validation.verdict !== "open"
    ? [`   Earlier verdict, round ${validation.attempt}:`, ...lines]
    : lines;
}

/** What is new of the verdicts on phases; their seats carry the number of the phase in their names. */
export function phaseVoteLines(before: RunView | null, after: RunView): readonly string[] {
  return after.phaseVerdicts.flatMap((verdict) => {
    const { validation } = verdict;
    const known = before?.phaseVerdicts?.find(
      ({ orchestrator, number }) => orchestrator === verdict.orchestrator && number === verdict.number,
    );
    const same = samePanel(known?.validation, validation);
    const of = phaseName(verdict);
    const lines = verdictLines(same, validation, null, { of, allTheSame: goOnAllTheSame });
    if (same !== null || lines.length === 0) return lines;
    const when = before === null && validation.verdict !== "open" ? ", earlier verdict" : "";
    return [`   ${of}, round ${validation.attempt}${when}:`, ...lines];
  });
}

export const phaseName = ({ orchestrator, number }: PhaseVerdict): string =>
  `phase ${number} of ${orchestrator}`;

/** What was edited or repaired meanwhile is judged by another panel. */
const samePanel = (
  before: ValidationView | null | undefined,
  after: ValidationView,
): ValidationView | null =>
  before?.attempt === after.attempt && before.commitId === after.commitId ? before : null;

/** The user overrides a verdict. */
const landAllTheSame = "you land it anyway";
export const goOnAllTheSame = "you continue anyway";

/**
 * New votes, the new verdict, and what happened to other verdicts of the panel.
 *
 * @param same as it was before
 * @param judged what it is about, where that is not the result
 */
export function verdictLines(
  same: ValidationView | null,
  validation: ValidationView,
  trust: PanelTrust | null,
  judged?: { readonly of: string; readonly allTheSame: string },
): readonly string[] {
  const { verdict, overruled } = validation;
  const of = judged === undefined ? "" : `${judged.of} `;
  const known = new Map(same?.seats.map((seat) => [seat.seat, seat.vote]));
  const isDecided = verdict !== "open" && same?.verdict !== verdict;
  return [
    ...(same === null && !isUnasked(validation) ? panelLines(validation) : []),
    ...seatLines(validation.seats.filter(({ seat, vote }) => known.get(seat) !== vote)),
    ...(isDecided ? [`${of}${formatOutcome(validation)}`, ...trustLines(validation, trust)] : []),
    ...(overruled !== undefined && same?.overruled === undefined
      ? [`${of}${formatVerdict(validation, judged?.allTheSame)}`]
      : []),
  ].map((line) => `   ${line}`);
}

/** A check failed, and no seat was asked. */
const isUnasked = ({ verdict, seats }: ValidationView): boolean =>
  verdict === "vetoed" && seats.every(({ vote }) => vote === "pending");

function formatOutcome(validation: ValidationView): string {
  const { verdict, seats, quorum } = validation;
  if (isUnasked(validation)) return `${verdict}: a check failed, so no validator was asked`;
  const approvals = seats.filter((seat) => seat.vote === "approve" && seat.counted).length;
  return `${verdict}: ${formatApprovals(approvals, seats.length, quorum)}`;
}

/** Each seat's vote, a line each. */
export const seatLines = (seats: readonly SeatView[]): readonly string[] =>
  seats
    .filter(({ vote }) => vote !== "pending")
    .map((seat) => `${seat.seat.padEnd(12)} ${seat.vote} (${formatSeat(seat)}): ${shownLine(seat.reason)}`);

/** A short verdict, and why it landed anyway if the user overrode it. */
export const formatVerdict = (
  { verdict, overruled }: ValidationView,
  allTheSame: string = landAllTheSame,
): string =>
  overruled === undefined ? verdict : `${verdict}; ${allTheSame}: ${shownLine(overruled.reason)}`;

/** The same as a sentence; a reason may end one already. */
export function verdictSentence(validation: ValidationView, allTheSame?: string): string {
  const words = formatVerdict(validation, allTheSame);
  return /[.!?]$/u.test(words) ? words : `${words}.`;
}

/** What of the tasks is missing from the result, a line each, and why it landed all the same. */
export const missingLines = ({ missing, landed }: RunView): readonly string[] => [
  ...missing.map(missingLine),
  ...(landed?.without === undefined
    ? []
    : [`you overrode it and landed. Reason: ${shownLine(landed.without)}`]),
];

/** What happened to other verdicts of the panel. */
export const trustLines = (validation: ValidationView, trust: PanelTrust | null): readonly string[] =>
  trust && !isUnasked(validation) ? [trustLine(trust)] : [];

/** The judges, the reason for their number, and the fault tolerance: once, at the start. */
function panelLines({ seats, why, strategy, notes, quorum, tolerated }: ValidationView): readonly string[] {
  if (seats.length === 0) return [];
  const count = `${seats.length} ${seats.length === 1 ? "seat" : "seats"}`;
  return [
    why === undefined ? count : `${count}: ${shownLine(why)}`,
    ...(strategy === undefined ? [] : [`Panel: ${strategyDescriptions[strategy]}.`]),
    ...(notes ?? []).map(shownLine),
    `${quorum} of ${seats.length} must approve. ${formatTolerance(seats.length, quorum, tolerated)}`,
  ];
}

const formatSeat = ({ evidence, peer, model }: SeatView): string =>
  [peer === undefined ? evidenceLabel(evidence) : `as ${peer}, ${evidenceLabel(evidence)}`, model ?? ""]
    .filter((part) => part !== "")
    .map(shownLine)
    .join(", ");
