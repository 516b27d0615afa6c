import type { AnswerTo, CardAnswer, ItemOf } from "#shared/contract/cards.ts";
import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import { trailerLine } from "#shared/domain/change-metadata/write-trailers.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import { roundsBefore } from "#shared/domain/validation/rounds.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import { Interrupted, StaleAnswer } from "../../../engine-errors.ts";
import {
  holdsOtherFiles,
  judgedChange,
  whileUnmoved,
  withdrawVoid,
} from "../../../graph-sync/while-unmoved.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { inform } from "../../../kernel/notify.ts";
import type { Card, Run, RunReader } from "../../../ports.ts";
import { rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { missingFrom } from "../../../workflow/missing-from-result.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { judgeByPanel } from "./panel-of-run.ts";
import { validateResult } from "./validate-result.ts";

/** The result of a phase of an orchestrator's plan, together with all before it. */
export interface PhaseToJudge {
  readonly orchestrator: string;
  readonly phase: number;
  /** Counted from 1. */
  readonly attempt: number;
  readonly commitId: string;
  /** Checks that ran on exactly this commit without a blocking failure. */
  readonly checks: readonly CheckResult[];
}

const edited = "The result was edited. Validators judge it again.";

/**
 * A failed verdict goes to the user: repair once more, land anyway, or stop the run. Asks, and applies the
 * answer. If the user edits the result meanwhile, it is judged again, and the card is withdrawn.
 */
async function askAboutVerdict(run: Run, action: string, signal: AbortSignal): Promise<void> {
  const { validation } = run.facts;
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (integration === null || validation === null) throw new Error("No verdict to ask about.");
  const id = `${run.id}/${action}`;
  // Questions from before the result was edited.
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

/**
 * Null: the result differs from the judged one. An earlier answer of the user still counts if it applies to
 * any result.
 */
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

/** A withdrawn card has no answer. */
export function votesAnswer(decision: CardAnswer | null): AnswerTo<"votes"> | null {
  return decision?.kind === "repair" || decision?.kind === "land" || decision?.kind === "stop"
    ? decision
    : null;
}

/** Nobody is shown the card of a result that was edited meanwhile. */
function withdrawVoidVerdict(run: Run): Promise<void> {
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

/** The card first: a restart between the two steps repeats this. */
function voidVerdict(run: Run, id: string): void {
  run.inbox.withdraw((item) => item.id === id, edited);
  inform(
    run,
    "The result was edited after the verdict, which is now void.",
    "No action needed: validators judge it again.",
  );
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
async function checkVerdictAnswer(
  run: Run,
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

/** Seats judge the result; the user decides about what they do not approve. */
export const validation: Feature<Run> = {
  name: "validation",
  stageActions: {
    SpawnValidators: {
      title: "Validation failed",
      async perform(run, { action }, signal) {
        await requireSandbox(run);
        await validateResult(run, action.attempt, signal);
      },
    },
    AskAboutVerdict: {
      title: "You could not be asked about the verdict",
      perform: (run, { action }, signal) => askAboutVerdict(run, action.id, signal),
    },
  },
  cardChecks: { votes: checkVerdictAnswer },
  recover: withdrawVoidVerdict,
  onGraph(run) {
    const before = resultIn(run);
    return () => {
      // Whoever judges it looks whether it still is what is judged.
      if (resultIn(run) !== before) run.waiters.wake();
    };
  },
};

/**
 * Seats judge the result of a plan's phase as they judge the final result. (HOX-7.2)
 *
 * @returns null if this run has no panel
 * @throws Interrupted if the run is paused, its budget is spent, or the signal aborts
 */
export async function judgePhase(
  run: Run,
  of: PhaseToJudge,
  signal: AbortSignal,
): Promise<ValidationView | null> {
  if (!hasValidators(workflowIn(run, rootOf(run)))) return null;
  const { orchestrator, phase, attempt, commitId: commit, checks } = of;
  const { view, stopped } = await judgeByPanel(
    run,
    {
      ...{ commit, attempt, checks, orchestrator, phase, goal: goalOf(run, of) },
      missing: (await missingFrom(run, orchestrator, commit)).map(missingLine),
      title: `Judges phase ${phase} of ${orchestrator}`,
      counted: (validation) =>
        run.append({ kind: "PhaseVotesCounted", verdict: { orchestrator, number: phase, validation } }),
    },
    signal,
    signal,
  );
  if (stopped === "budget") run.dispatch({ kind: "BudgetExhausted" });
  if (stopped !== null || signal.aborted) throw new Interrupted();
  notifyVerdict(run, of, view);
  return view;
}

const goalOf = (run: RunReader, { orchestrator, phase }: PhaseToJudge): string => {
  const { plan } = run.orchestratorFacts(orchestrator);
  const goal = orchestrator === rootOf(run) ? run.row.input.goal : (plan?.goal ?? "");
  const title = plan?.phases.find(({ number }) => number === phase)?.title ?? "";
  return `${goal}\n\nThis is judged in the middle, after phase ${phase} ("${title}") of ${plan?.phases.length ?? phase}: what its tasks and those before it are for has to be there, and later phases build on it. What is left to a later phase is not missing.`;
};

function notifyVerdict(run: Run, { orchestrator, phase }: PhaseToJudge, view: ValidationView): void {
  const votes = view.seats.map(({ seat, vote }) => `${seat} ${vote}`).join(", ");
  const text = `Phase ${phase} of ${orchestrator} is ${view.verdict} by its validators: ${votes}.`;
  run.appendTranscript(orchestrator, { kind: "notice", text });
  if (view.verdict === "approved") inform(run, text);
}

const resultIn = (run: RunReader): string | undefined =>
  run.changes.get(run.orchestratorFacts(rootOf(run)).integration ?? "")?.commitId;
