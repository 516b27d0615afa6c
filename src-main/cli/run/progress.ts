import type { OrchestratorView, PreflightView, RunView, WorkerView } from "#shared/contract/views/run.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict.ts";
import type { ProviderWait } from "#shared/domain/conversation/provider-wait.ts";
import { providerWaitLine } from "#shared/domain/conversation/provider-wait.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { alsoUnmetered } from "#shared/domain/spending/unmetered.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { PhaseVerdict, SeatView, ValidationView } from "#shared/domain/validation/panel.ts";
import {
  evidenceLabel,
  formatApprovals,
  formatTolerance,
  strategyDescriptions,
} from "#shared/domain/validation/panel.ts";
import { type PanelTrust, trustLine } from "#shared/domain/validation/panel-trust.ts";
import { formatWaitsForSlot, waitsForPlace } from "#shared/domain/worker/roles.ts";
import { formatWorkflow, isSameWorkflow, workflowReasons } from "#shared/domain/workflow/workflow.ts";

/** Lines for the terminal when a run changes from one view to the next. */
export function progressLines(before: RunView | null, after: RunView): readonly string[] {
  const lines: string[] = [];
  if (before?.stage !== after.stage)
    lines.push(`== ${after.stage}${after.attempt > 0 ? ` (repair ${after.attempt})` : ""}`);
  lines.push(...partLines(before, after), ...workflowLines(before, after));
  const look = after.preflight;
  if (look?.isSettled && !before?.preflight?.isSettled) lines.push(...preflightLines(look));
  const known = new Map(before?.workers.map((worker) => [worker.name, worker]));
  for (const worker of after.workers) lines.push(...workerLines(known.get(worker.name), worker, after));
  lines.push(...commentLines(before, after));
  lines.push(...waitLines(before?.providerLimit ?? null, after.providerLimit ?? null));
  lines.push(...phaseVoteLines(before, after), ...voteLines(before, after));
  if (before?.budget.state !== after.budget.state && after.budget.state !== "ok") {
    lines.push(`   budget ${after.budget.state}: ${spentText(after)}`);
  }
  return lines;
}

/** What is new of the verdict on the result. */
function voteLines(before: RunView | null, after: RunView): readonly string[] {
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
function phaseVoteLines(before: RunView | null, after: RunView): readonly string[] {
  return after.phaseVerdicts.flatMap((verdict) => {
    const { validation } = verdict;
    const known = before?.phaseVerdicts?.find(
      ({ orchestrator, number }) => orchestrator === verdict.orchestrator && number === verdict.number,
    );
    const same = samePanel(known?.validation, validation);
    const of = phaseName(verdict);
    const lines = verdictLines(same, validation, null, { of, allTheSame: continueAnyway });
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
export const continueAnyway = "you continue anyway";

/**
 * Verdicts at a terminal: who judges, what each seat says, the verdict, and what happened to earlier ones of the panel.
 *
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

/** New comments of archangels in a watch, which has no other output. */
function commentLines(before: RunView | null, { isWatch, comments }: RunView): readonly string[] {
  if (!isWatch) return [];
  const known = new Set(before?.comments?.map(({ id }) => id));
  return comments.flatMap(({ id, path, line, text }) =>
    known.has(id)
      ? []
      : [
          `   ${id}  ${path === null ? "" : `${shownName(path)}${line === null ? "" : `:${line}`}  `}${shownLine(startOf(text, 300))}`,
        ],
  );
}

/** The kind of project and its checks' results before the run. */
export const preflightLines = ({ commitId, lines }: PreflightView): readonly string[] => [
  `-- preflight of ${commitId.slice(0, 12)}`,
  ...lines.map((line) => `   ${shownLine(line).slice(0, 300)}`),
];

/** How the parts that orchestrators below the root lead go forward. */
function partLines(before: RunView | null, after: RunView): readonly string[] {
  const known = new Map(before?.orchestrators.map((part) => [part.name, stepOf(part)]));
  return after.orchestrators
    .filter((part) => part.parent !== null && part.stage !== "idle" && known.get(part.name) !== stepOf(part))
    .map((part) => `-- ${part.name} ${stepOf(part)}: ${shownLine(part.title)}`);
}

/** The workflow, once it is decided and when it changes. */
function workflowLines(before: RunView | null, after: RunView): readonly string[] {
  const known = new Map(before?.orchestrators.map((part) => [part.name, part.workflow]));
  return after.orchestrators.flatMap(({ name, workflow }) =>
    !workflow || isSameWorkflow(known.get(name) ?? null, workflow)
      ? []
      : [
          `   ${name.padEnd(12)} ${formatWorkflow(workflow)}`,
          ...workflowReasons(workflow).map((line) => `   ${"".padEnd(12)} ${shownLine(line)}`),
        ],
  );
}

const stepOf = ({ stage, phase }: OrchestratorView): string =>
  stage !== "executing" ? stage : phase === 0 ? "contracts" : `phase ${phase}`;

/** What a worker does, as it says it itself; what it waits for with what ends that. */
export const formatActivity = ({ activity }: WorkerView, run: RunView): string =>
  activity === waitsForPlace ? formatWaitsForSlot(run, "terminal") : activity;

function workerLines(before: WorkerView | undefined, after: WorkerView, run: RunView): string[] {
  const lines: string[] = [];
  const say = (text: string): void => {
    lines.push(`   ${after.name.padEnd(12)} ${startOf(shownLine(text).replace(/\s+/gu, " "), 160)}`);
  };
  if (!before && after.title) say(after.title);
  if (after.conflict !== "none" && before?.conflict !== after.conflict) say(conflictLabel(after.conflict));
  const full = fullOf(after);
  if (full !== null && (!before || fullOf(before) === null)) say(`${full} % of the context window used`);
  if (after.activity !== "" && before?.activity !== after.activity) say(formatActivity(after, run));
  if (before && before.status !== after.status && after.status === "done") say("done");
  return lines;
}

const fullOf = ({ contextTokens, contextWindow }: WorkerView): number | null =>
  fullPercent(contextTokens, contextWindow);

/** A pause by the provider: an outage is printed once, however often it is retried. */
function waitLines(before: ProviderWait | null, after: ProviderWait | null): readonly string[] {
  if (after === null)
    return before?.kind === "outage" ? ["   The provider responds again; all agents resume."] : [];
  const isSame =
    before?.kind === after.kind &&
    (after.kind === "outage" ? before.since === after.since : before.until === after.until);
  if (isSame) return [];
  return [
    `   ${waitText(after)}`,
    ...(after.kind === "outage" && after.remedy ? [`   ${shownLine(after.remedy)}`] : []),
    ...(after.until === null ? [] : ["   To retry now, run `hox resume` in another terminal."]),
  ];
}

/** A pause by the provider, as text. */
export const waitText = (wait: ProviderWait): string =>
  shownLine(providerWaitLine(wait, (at) => new Date(at).toLocaleTimeString("en-GB")));

/** What was not checked, or is as red as it was, lands with a word. */
export function formatLandedVerdict({ validation }: RunView): string {
  // A rehearsal may land without a verdict.
  if (validation === null) return "";
  if (validation.checks.length === 0) return ", unchecked: no check ran";
  const known = validation.checks
    .filter(({ outcome }) => outcome === "known-failure")
    .map(({ name }) => shownLine(name));
  const unproven = validation.checks
    .filter(({ outcome }) => outcome === "unproven")
    .map(({ name }) => shownLine(name));
  return [
    ...(known.length === 0 ? [] : [`; already failing before this run: ${known.join(", ")}`]),
    ...(unproven.length === 0 ? [] : [`; not covered by a check: ${unproven.join(", ")}`]),
  ].join("");
}

/** Dollars and tokens so far, with their limits. */
export function spentText({ budget, watchBudget, endedAt, workers }: RunView): string {
  const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(2)}`;
  const limit = (text: string | null): string => (text === null ? "" : ` of ${text}`);
  const money = `${dollars(budget.spent.microDollars)}${limit(budget.limitMicroDollars === null ? null : dollars(budget.limitMicroDollars))}`;
  const tokens = `${totalTokens(budget.spent.usage).toLocaleString("en")}${limit(budget.limitTokens?.toLocaleString("en") ?? null)} tokens`;
  const today =
    watchBudget && endedAt === null
      ? `; today ${dollars(watchBudget.microDollars)} of ${dollars(watchBudget.limit)}`
      : "";
  return `${money}, ${tokens}${alsoUnmetered(workers)}${today}`;
}
