/**
 * A phase's merged result must pass before the next phase builds on it. Otherwise the last merged agent works
 * on it again, and after the repair rounds the user decides. Only if `validation.phases` is set. (HOX-7.2)
 */

import { formatFailedVerdict } from "#shared/contract/cards/votes.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import { trailerLine } from "#shared/domain/change-metadata/write-trailers.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import { isUserAsked, phaseKey } from "#shared/domain/validation/phase-checks.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { checksOfPhase, type Phase, repairSummary, roundsOfPhase } from "#shared/run/view.ts";
import { verdictReasons } from "../../../../validation/validate.ts";
import { Interrupted, StaleAnswer } from "../../../engine-errors.ts";
import { holdsOther, whileUnmoved, withdrawVoid } from "../../../graph-sync/while-unmoved.ts";
import { inform } from "../../../kernel/notify.ts";
import { addressOf, reopen, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { checkFresh } from "../../../workspaces/check-options.ts";
import { judgePhase, votesAnswer } from "../validation/feature.ts";
import { combinedPhaseWork, holdsOtherWork, judgedPhaseWork, type PhaseWork } from "./phase-base.ts";

/** @returns whether the next phase may begin; where not, this one is worked on again, or the run is over */
export async function isPhaseValid(run: Run, of: Phase, signal: AbortSignal): Promise<boolean> {
  if (run.config.validation.phases === "off" || of.phase === 0) return true;
  for (;;) {
    if (checksOfPhase(run.facts, of).accepted !== null) {
      await keepReason(run, of);
      return true;
    }
    const phaseWork = await combinedPhaseWork(run, of.orchestrator);
    if (phaseWork === null) return true;
    const judged = judgedPhaseWork(run, of.orchestrator, phaseWork);
    const { outcome, hasMoved } = await whileUnmoved(run, judged, (moved) =>
      judge(run, of, phaseWork, signal, moved),
    );
    if (signal.aborted || run.runEnded.signal.aborted) throw new Interrupted();
    // Edited meanwhile it is judged as it is then.
    if (outcome === "moved" || (outcome.kind !== "stop" && (await hasMoved()))) {
      voidPhase(run, of);
      continue;
    }
    switch (outcome.kind) {
      case "holds":
        return true;
      case "accepted":
        accept(run, of, phaseWork, outcome);
        break;
      case "repair":
        await sendBack(run, of, phaseWork, outcome, signal);
        return false;
      case "stop":
        keepVerdict(run, of, outcome.view);
        run.dispatch({ kind: "ResultRejected", reason: rejected(run, of, outcome.view) });
        return false;
    }
  }
}

const edited = "The result of the phase was edited. Validators judge it again.";

const cardId = (run: RunReader, of: Phase): string => {
  const { failed, voided } = checksOfPhase(run.facts, of);
  const id = `${run.id}/phase/${phaseKey(of.orchestrator, of.phase)}/${failed}`;
  return voided === 0 ? id : `${id}/${voided}`;
};

/**
 * A rejected phase goes to the user: repair once more, continue anyway, or stop the run.
 *
 * @returns null if the card was about an older version of the work
 */
async function askAboutPhase(
  run: Run,
  of: Phase,
  phaseWork: PhaseWork,
  view: ValidationView,
  signal: AbortSignal,
): Promise<AnswerTo<"votes"> | null> {
  const id = cardId(run, of);
  // As it was asked before the host ended; answered, it counts for what was on it.
  const before = run.journal.inboxItem(id)?.item;
  if (before?.kind === "votes" && (await isOtherWork(run, phaseWork, before.validation.commitId)))
    return null;
  const card = {
    ...{ kind: "votes" as const, validation: view, changeId: phaseWork.changeId },
    phase: { orchestrator: of.orchestrator, number: of.phase },
    rounds: roundsOfPhase(run.facts, of),
    repairRounds: run.config.validation.repairRounds,
    microDollars: run.spending.total.microDollars,
  };
  return votesAnswer(await run.inbox.ask<"votes">(id, () => card, signal));
}

const isOtherWork = async (run: Run, { commitId }: PhaseWork, asked: string): Promise<boolean> =>
  commitId !== asked && holdsOther(run, commitId, asked);

/** The judged work has changed; if the user was asked about it, they are told. */
function voidPhase(run: Run, of: Phase): void {
  const id = cardId(run, of);
  if (run.journal.inboxItem(id) === null) return;
  run.inbox.withdraw((item) => item.id === id, edited);
  run.append({ kind: "PhaseVoided", ...of });
  inform(
    run,
    `The result of phase ${of.phase} of ${of.orchestrator} was edited after the verdict, which is now void.`,
    "No action needed: validators judge it again.",
  );
}

/** Nobody is shown the card of a phase whose work was edited meanwhile. */
export const withdrawVoidPhases = (run: Run): Promise<void> =>
  withdrawVoid(
    run,
    ({ phase, validation }) =>
      phase === undefined ? null : holdsOtherWork(run, phase.orchestrator, validation.commitId),
    edited,
  );

/** Before an answer counts: checks that the work is still the one on the card. Called by the inbox. */
export async function checkPhaseAnswer(
  run: Run,
  { validation, phase }: ItemOf<"votes">,
  decision: AnswerTo<"votes">,
): Promise<void> {
  if (phase === undefined || decision.kind === "stop") return;
  if (!(await holdsOtherWork(run, phase.orchestrator, validation.commitId))) return;
  throw new StaleAnswer(
    `The result of phase ${phase.number} was edited after the verdict.`,
    "Resume the run: validators judge it again.",
  );
}

/**
 * A phase that does not hold is worked on again, on top of all that is done.
 *
 * Safe to repeat.
 */
async function sendBack(
  run: Run,
  of: Phase,
  { worker, changeId, onto, conflicts }: PhaseWork,
  /** `words` are the user's; null: an automatic round. */
  { view, words }: { readonly view: ValidationView; readonly words: string | null },
  signal: AbortSignal,
): Promise<void> {
  const { orchestrator, phase } = of;
  const { checks, verdict } = view;
  const failing = conflicts.length > 0 ? [`${conflicts.join(", ")} in conflict`] : whatFailed(view);
  if (onto.length > 0) {
    await run.lock.withExclusive(worker, async () => {
      await run.repository.rebase({ source: changeId, onto, actor: orchestrator });
      for (const name of [worker, integratorOf(worker)].filter((one) => run.workers.has(one)))
        await run.workspaces.of(name)?.updateStale({ actor: name });
    });
    await run.refreshChanges();
  }
  if (signal.aborted) return;
  const text = [
    `Phase ${phase} failed: ${whatIsWrong(view, conflicts)}`,
    ...(words === null || words === "" ? [] : [`The user says: ${words}`]),
  ].join("\n");
  await sendMessage(run, {
    key: `phase/${phaseKey(orchestrator, phase)}/${checksOfPhase(run.facts, of).failed}`,
    from: orchestrator,
    to: addressOf(run, worker),
    type: "info",
    text,
  });
  const isPart = roles[run.worker(worker).record.role].isLead;
  run.journal.together(() => {
    run.append(
      {
        ...{ kind: "PhaseSentBack", orchestrator, phase, checks, worker, verdict },
        by: words === null ? "rule" : "user",
        reasons: failing,
        words: words ?? "",
        repaired: repairSummary(run.facts, of),
      },
      ...(verdict !== "vetoed" || conflicts.length > 0
        ? []
        : [{ kind: "ChecksRun" as const, worker, checks }]),
    );
    // In a part, its integrator repairs.
    if (isPart) {
      run.dispatch({ kind: "ValidationFailed", reasons: [text] }, worker);
      run.append({ kind: "WorkReset", worker: integratorOf(worker) });
    }
    reopen(run, worker);
    run.append({ kind: "WorkReopened", worker });
  });
  if (words === null)
    inform(run, `Phase ${phase} of ${orchestrator} was sent back to ${worker}: ${failing.join("; ")}`);
}

/** What is wrong with a phase, in a few words each: its checks, or what each seat says. */
const whatFailed = (view: ValidationView): readonly string[] =>
  view.verdict === "vetoed"
    ? view.checks.filter(isBlocking).map(({ name, outcome }) => `${name} ${outcomeText[outcome]}`)
    : verdictReasons(view);

function whatIsWrong(view: ValidationView, conflicts: readonly string[]): string {
  if (conflicts.length > 0)
    return `the merged work has conflicts in ${conflicts.join(", ")}. Your change is now on top of all of it. Resolve them so that all work is kept.`;
  if (view.verdict === "vetoed")
    return `with all that was merged, ${whatFailed(view).join(", ")} in a fresh checkout. Your change is now on top of all of it. Repair what the checks report, also in the work of other agents.`;
  return [
    "the validators of the merged work did not approve it. Your change is now on top of all of it. Repair what they name, also in the work of other agents.",
    ...whatFailed(view).map((reason) => `- ${reason}`),
  ].join("\n");
}

type Outcome =
  | { readonly kind: "holds" }
  | { readonly kind: "accepted"; readonly view: ValidationView; readonly reason: string }
  /** `words` are the user's; null: an automatic round. */
  | { readonly kind: "repair"; readonly view: ValidationView; readonly words: string | null }
  | { readonly kind: "stop"; readonly view: ValidationView };

async function judge(
  run: Run,
  of: Phase,
  phaseWork: PhaseWork,
  signal: AbortSignal,
  moved: AbortSignal,
): Promise<Outcome | "moved"> {
  try {
    const view = await viewOf(run, of, phaseWork, AbortSignal.any([signal, moved]));
    if (view === null) return { kind: "holds" };
    // Without a verdict there are no reasons to repair.
    const isRepairable = view.verdict === "vetoed" || view.verdict === "rejected";
    if (isRepairable && !isUserAsked(checksOfPhase(run.facts, of), run.config.validation.repairRounds))
      return { kind: "repair", view, words: null };
    const decision = await askAboutPhase(run, of, phaseWork, view, AbortSignal.any([signal, moved]));
    switch (decision?.kind) {
      case "land":
        return { kind: "accepted", view, reason: trailerLine(decision.reason) };
      case "repair":
        return { kind: "repair", view, words: decision.words ?? "" };
      case "stop":
        return { kind: "stop", view };
      case undefined:
        return "moved";
    }
  } catch (error) {
    if (error instanceof Interrupted && moved.aborted) return "moved";
    throw error;
  }
}

/** What is wrong with it; null where it holds. */
async function viewOf(
  run: Run,
  of: Phase,
  { worker, commitId, conflicts }: PhaseWork,
  signal: AbortSignal,
): Promise<ValidationView | null> {
  const checks =
    conflicts.length > 0 ? [inConflict(conflicts)] : await checkFresh(run, worker, commitId, signal);
  // Its activity ends, even if it is asked about now.
  run.setActivity(worker, "done", "");
  const attempt = checksOfPhase(run.facts, of).failed + 1;
  if (checks.some(isBlocking))
    return { ...{ commitId, attempt, seats: [], quorum: 0, tolerated: 0, verdict: "vetoed", checks } };
  if (run.config.validation.phases !== "seats") return null;
  const view = await judgePhase(run, { ...of, attempt, commitId, checks }, signal);
  return view?.verdict === "approved" ? null : view;
}

/** Files that are not one thing yet can be held against nothing else. */
const inConflict = (files: readonly string[]): CheckResult => ({
  ...{ name: "No conflicts", command: "jj resolve --list", speed: "fast", outcome: "failed", ms: 0 },
  output: files.join("\n"),
});

function accept(
  run: Run,
  of: Phase,
  { changeId }: PhaseWork,
  { view, reason }: { readonly view: ValidationView; readonly reason: string },
): void {
  run.journal.together(() => {
    run.append({ kind: "PhaseAccepted", ...of, reason, changeId });
    keepVerdict(run, of, { ...view, overruled: { reason, at: run.now() } });
  });
}

/** A verdict that the user overrode or stopped at, also if a check failed and no panel voted. */
const keepVerdict = (run: Run, { orchestrator, phase }: Phase, validation: ValidationView): void =>
  run.append({ kind: "PhaseVotesCounted", verdict: { orchestrator, number: phase, validation } });

/** Whoever reads the history learns of it there. Safe to repeat. */
async function keepReason(run: Run, of: Phase): Promise<void> {
  const { accepted, failed } = checksOfPhase(run.facts, of);
  if (accepted === null) return;
  const change = accepted.changeId;
  const key = `phase/${phaseKey(of.orchestrator, of.phase)}/${failed}/overruled`;
  await run.step(key, async () => {
    const overruled = `Phase ${of.phase}: ${accepted.reason}`;
    await run.repository.setMetadata([{ change, patch: { overruled } }], {
      actor: "hox",
      request: `${run.id}/${key}`,
    });
  });
  await run.refreshChanges();
}

function rejected(run: Run, { orchestrator, phase }: Phase, view: ValidationView): string {
  const of = `phase ${phase}${orchestrator === rootOf(run) ? "" : ` of ${orchestrator}`}`;
  return view.verdict === "vetoed"
    ? `The checks failed after ${of}: ${whatFailed(view).join(", ")}`
    : `${formatFailedVerdict(view)} after ${of}: ${whatFailed(view).join(" ")}`;
}
