/** A verdict that failed goes to a person: repaired once more, landed all the same, or the end of the run. */
import type { AnswerTo, CardAnswer, ItemOf } from "#shared/contract/cards.ts";
import type { ValidationView } from "#shared/contract/views/validation.ts";
import { trailerLine } from "#shared/domain/graph-words/write-trailers.ts";
import { roundsBefore } from "#shared/domain/validation/failed-rounds.ts";
import { Interrupted, StaleAnswer } from "../../../engine-errors.ts";
import { holdsOtherFiles, judgedChange, whileUnmoved } from "../../../graph-sync/while-unmoved.ts";
import { withdrawVoid } from "../../../graph-sync/withdraw-void.ts";
import type { Card } from "../../../inbox-interface.ts";
import type { Run, RunGraph, RunReader } from "../../../ports.ts";
import { integratorOf, rootOf } from "../../../workers/hierarchy.ts";

const edited = "The result was edited. Validators judge it again.";

/** Asks, and does as was answered. Edited by a person meanwhile, the result is judged anew, and the card goes. */
export async function askAboutVerdict(run: Run, action: string, signal: AbortSignal): Promise<void> {
  const { validation } = run.facts;
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (integration === null || validation === null) throw new Error("No verdict to ask about.");
  const id = `${run.id}/${action}`;
  // What was asked before the result was edited.
  run.inbox.withdraw((item) => item.kind === "votes" && item.phase === undefined && item.id !== id, edited);
  const { commitId } = validation;
  const { outcome, hasMoved } = await whileUnmoved(run, judgedChange(run, integration, commitId), (moved) =>
    answerOf(run, { id, integration, validation }, signal, moved),
  );
  const isVoid = outcome === null || (outcome.kind === "land" && (await hasMoved()));
  if (isVoid) return voidVerdict(run, id);
  await doAsAnswered(run, { id, action, integration, validation }, outcome);
}

interface Asked {
  readonly id: string;
  readonly integration: string;
  readonly validation: ValidationView;
}

/** Null: the result is another one than was judged. What a person said before that still counts, if it is about any result. */
async function answerOf(
  run: Run,
  { id, integration, validation }: Asked,
  signal: AbortSignal,
  moved: AbortSignal,
): Promise<AnswerTo<"votes"> | null> {
  const given = (): AnswerTo<"votes"> | null => votesAnswer(run.journal.inboxItem(id)?.decision ?? null);
  if (
    run.journal.inboxItem(id)?.decision == null &&
    (await holdsOtherFiles(run, integration, validation.commitId))
  )
    return given();
  try {
    const ended = AbortSignal.any([signal, run.runEnded.signal, moved]);
    return votesAnswer(await run.inbox.ask(id, () => votesCard(run, integration, validation), ended));
  } catch (error) {
    const isOnlyMoved = moved.aborted && !signal.aborted && !run.runEnded.signal.aborted;
    if (!(error instanceof Interrupted && isOnlyMoved)) throw error;
    return given();
  }
}

/** Taken back, a card was answered by nobody. */
function votesAnswer(decision: CardAnswer | null): AnswerTo<"votes"> | null {
  switch (decision?.kind) {
    case "repair":
    case "land":
    case "stop":
      return decision;
    default:
      return null;
  }
}

/** Nobody is shown the card of a result that was edited meanwhile. */
export function withdrawVoidVerdict(run: Run): Promise<void> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  return withdrawVoid(
    run,
    ({ phase, validation }) =>
      phase === undefined && integration !== null
        ? holdsOtherFiles(run, integration, validation.commitId)
        : null,
    edited,
  );
}

/** The card goes first: after a restart between the two its being taken back says the same again. */
function voidVerdict(run: Run, id: string): void {
  run.inbox.withdraw((item) => item.id === id, edited);
  run.emit({
    kind: "notice",
    level: "info",
    text: "The result was edited after the verdict, which is now void.",
    remedy: "No action needed: validators judge it again.",
  });
  run.dispatch({ kind: "VerdictVoided" });
}

async function doAsAnswered(
  run: Run,
  { action, integration, validation }: Asked & { readonly action: string },
  decision: AnswerTo<"votes">,
): Promise<void> {
  switch (decision.kind) {
    case "repair": {
      const words = decision.words ?? "";
      return run.append(
        { kind: "RepairWorded", words },
        { kind: "WorkReset", worker: integratorOf(rootOf(run)) },
        { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "RepairAsked", words } },
      );
    }
    case "land": {
      const reason = trailerLine(decision.reason);
      await run.step(`${action}/overruled`, async () => {
        await run.repository.setMetadata([{ change: integration, patch: { overruled: reason } }], {
          actor: "hox",
          request: `${run.id}/${action}/overruled`,
        });
      });
      await run.refreshChanges();
      return run.append(
        { kind: "VotesCounted", validation: { ...validation, overruled: { reason, at: run.now() } } },
        // What was judged is kept, so that nothing else can land.
        { kind: "ResultValidated", commitId: validation.commitId },
        { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "ValidationPassed" } },
      );
    }
    case "stop":
      return run.dispatch({ kind: "ResultRejected" });
  }
}

const votesCard = (
  run: RunReader,
  changeId: string,
  validation: ValidationView,
): Extract<Card, { kind: "votes" }> => ({
  kind: "votes",
  validation,
  changeId,
  rounds: roundsBefore(run.facts.failedRounds, validation.attempt),
  repairRounds: run.state.limits.repairRounds,
  microDollars: run.spending.total.microDollars,
});

/** Before an answer counts: what lands against a verdict is exactly what the verdict is about. Called by the inbox. */
export async function checkVerdictAnswer(
  run: RunReader & RunGraph,
  { validation, phase }: ItemOf<"votes">,
  decision: AnswerTo<"votes">,
): Promise<void> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (decision.kind !== "land" || integration === null || phase !== undefined) return;
  if (!(await holdsOtherFiles(run, integration, validation.commitId))) return;
  await run.refreshChanges();
  throw new StaleAnswer(
    "The result was edited after the verdict.",
    "Resume the run: validators judge it again.",
  );
}
