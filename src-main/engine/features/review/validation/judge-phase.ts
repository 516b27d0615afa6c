/** Seats judge what a phase of a plan came to, as they judge the result. (HOX-7.2) */

import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import type { PhaseToJudge } from "../../../services.ts";
import { hasContracts, rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { seatsOf } from "../../../workflow/run-workflow.ts";
import { evidenceOf, maxDiffLength, runPanel } from "./hold-panel.ts";
import { type PanelOfRun, panelOfRun } from "./panel-of-run.ts";

/**
 * @returns null where nobody votes in this run
 * @throws Interrupted where the run is held, its budget is spent, or the signal aborts
 */
export async function judgePhase(
  run: Run,
  of: PhaseToJudge,
  signal: AbortSignal,
): Promise<ValidationView | null> {
  if (!hasValidators(workflowIn(run, rootOf(run)))) return null;
  const { orchestrator, phase, attempt, commitId: commit, checks } = of;
  const diff = await run.repository.diff({
    ...{ commit, from: await baseOf(run, orchestrator), limit: maxDiffLength },
  });
  const { seats, reason } = seatsOf(run, { diff, checks: checks.length, attempt: attempt - 1 });
  const { panel, evidence } = await panelOfPhase(run, of, seats);
  const outcome = await runPanel(
    run,
    {
      ...{ commit, attempt, checks, title: `Judges phase ${phase} of ${orchestrator}` },
      panel,
      evidence: {
        ...evidenceOf(run, {
          ...{ goal: goalOf(run, of), plan: planUntil(run, of), diff },
          abandoned: run
            .stateOf(orchestrator)
            .tasks.flatMap(({ task, state }) => (state === "abandoned" ? [task] : [])),
        }),
        ...evidence,
      },
      counted: (view) =>
        run.append({
          kind: "PhaseVotesCounted",
          verdict: { orchestrator, number: phase, validation: { ...view, why: reason } },
        }),
    },
    signal,
    signal,
  );
  if (outcome.stopped === "budget") run.dispatch({ kind: "BudgetExhausted" });
  if (outcome.stopped !== null || signal.aborted) throw new Interrupted();
  const view = { ...outcome.view, why: reason };
  notifyVerdict(run, of, view);
  return view;
}

/** Their own names, so that no vote on a phase is taken for one on the result. */
async function panelOfPhase(
  run: Run,
  { orchestrator, phase, attempt, commitId: commit }: PhaseToJudge,
  seats: number,
): Promise<PanelOfRun> {
  const { panel, evidence } = await panelOfRun(run, { commit, attempt, seats, phaseOf: orchestrator });
  const part = orchestrator === rootOf(run) ? "" : `-${orchestrator.replace(/^O-/u, "").toLowerCase()}`;
  return {
    panel: {
      ...panel,
      seats: panel.seats.map((seat) => ({ ...seat, name: `${seat.name}${part}-phase-${phase}` })),
    },
    evidence,
  };
}

/** What an orchestrator's plan was begun on. */
async function baseOf(run: Run, orchestrator: string): Promise<string> {
  const { base } = run.orchestratorFacts(orchestrator);
  const { onto } = run.facts;
  if (orchestrator === rootOf(run) && onto !== null) return onto.commitId;
  if (base === null) throw new Error(`${orchestrator} has no base change yet.`);
  return (await readChange(run, base)).commitId;
}

const goalOf = (run: RunReader, { orchestrator, phase }: PhaseToJudge): string => {
  const { plan } = run.orchestratorFacts(orchestrator);
  const goal = orchestrator === rootOf(run) ? run.row.input.goal : (plan?.goal ?? "");
  const title = plan?.phases.find(({ number }) => number === phase)?.title ?? "";
  return `${goal}\n\nThis is judged in the middle, after phase ${phase} ("${title}") of ${plan?.phases.length ?? phase}: what its tasks and those before it are for has to be there, and later phases build on it. What is left to a later phase is not missing.`;
};

/** The plan as far as it is carried out. */
function planUntil(run: RunReader, { orchestrator, phase }: PhaseToJudge): Plan | null {
  const { plan } = run.orchestratorFacts(orchestrator);
  return plan === null
    ? null
    : {
        ...plan,
        phases: plan.phases.filter(({ number }) => number <= phase),
        tasks: plan.tasks.filter((task) => task.phase <= phase),
        ...(hasContracts(run, orchestrator) ? {} : { contracts: { ...plan.contracts, files: [] } }),
      };
}

function notifyVerdict(run: Run, { orchestrator, phase }: PhaseToJudge, view: ValidationView): void {
  const votes = view.seats.map(({ seat, vote }) => `${seat} ${vote}`).join(", ");
  const text = `Phase ${phase} of ${orchestrator} is ${view.verdict} by its validators: ${votes}.`;
  run.appendTranscript(orchestrator, { kind: "notice", text });
  if (view.verdict === "approved") run.emit({ kind: "notice", level: "info", text, remedy: null });
}
