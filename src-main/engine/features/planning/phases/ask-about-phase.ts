/** A rejected phase goes to the user: repair once more, continue anyway, or stop the run. */
import type { AnswerTo, CardAnswer, ItemOf } from "#shared/contract/cards.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import { phaseKey } from "#shared/domain/validation/phase-checks.ts";
import { checksOfPhase, type Phase, roundsOfPhase } from "#shared/run/view.ts";
import { StaleAnswer } from "../../../engine-errors.ts";
import { holdsOther } from "../../../graph-sync/while-unmoved.ts";
import { withdrawVoid } from "../../../graph-sync/withdraw-void.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { holdsOtherWork, type PhaseWork } from "./phase-ground.ts";

const edited = "The result of the phase was edited. Validators judge it again.";

const cardId = (run: RunReader, of: Phase): string => {
  const { failed, voided } = checksOfPhase(run.facts, of);
  const id = `${run.id}/phase/${phaseKey(of.orchestrator, of.phase)}/${failed}`;
  return voided === 0 ? id : `${id}/${voided}`;
};

/** @returns null if the card was about an older version of the work */
export async function askAboutPhase(
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
  return answerOf(
    await run.inbox.ask<"votes">(id, () => card, AbortSignal.any([signal, run.runEnded.signal])),
  );
}

const isOtherWork = async (run: Run, { commitId }: PhaseWork, asked: string): Promise<boolean> =>
  commitId !== asked && holdsOther(run, commitId, asked);

/** A withdrawn card has no answer. */
function answerOf(decision: CardAnswer): AnswerTo<"votes"> | null {
  switch (decision.kind) {
    case "repair":
    case "land":
    case "stop":
      return decision;
    default:
      return null;
  }
}

/** The judged work has changed; if the user was asked about it, they are told. */
export function voidPhase(run: Run, of: Phase): void {
  const id = cardId(run, of);
  if (run.journal.inboxItem(id) === null) return;
  run.inbox.withdraw((item) => item.id === id, edited);
  run.append({ kind: "PhaseVoided", ...of });
  run.emit({
    kind: "notice",
    level: "info",
    text: `The result of phase ${of.phase} of ${of.orchestrator} was edited after the verdict, which is now void.`,
    remedy: "No action needed: validators judge it again.",
  });
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
