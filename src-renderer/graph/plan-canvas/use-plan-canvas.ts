/** What the canvas draws of a run whose plan is not approved. */
import { useMemo } from "react";
import type { OrchestratorView } from "#shared/contract/views/run.ts";
import { rootOrchestrator } from "#shared/domain/change-metadata/address.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { decideWorkflow } from "#shared/domain/plan/plan-workflow.ts";
import { problemGroups } from "#shared/domain/plan/problem-texts.ts";
import { expectedSeats, settingsOf, undecidedWorkflow } from "#shared/domain/workflow/workflow.ts";
import { type PlanCanvas, planCanvas } from "#shared/graph/plan-canvas/plan-canvas.ts";
import type { Room, RunCanvasInput } from "#shared/graph/run-canvas/canvas-input.ts";
import { useHost } from "../../state/host-store.ts";
import { useProblems } from "../../state/plan-amendment.ts";
import { type PlanDraft, shownDraft, usePlanDrafts, usePlanInRun } from "../../state/plan-draft.ts";
import { useGraphView } from "../../state/selection-store.ts";
import { worstOf } from "../plan/worst-problem.ts";

/** No plan yet: only what every run goes through. */
const noPlan: Plan = {
  ...{ goal: "", summary: "", orchestrators: { count: 1, reason: "" } },
  contracts: { title: "", description: "", files: [] },
  ...{ phases: [], tasks: [], integration: { title: "", description: "" } },
  budget: { tokens: null, microDollars: null },
};

export interface ShownPlan {
  /** Null while the orchestrator still writes it. */
  readonly draft: PlanDraft | null;
  readonly plan: Plan;
  /** Whose plan it is. */
  readonly author: OrchestratorView | null;
  readonly ahead: RunCanvasInput["ahead"];
  readonly worst: ReturnType<typeof worstOf>;
  /** Null until the size of the panel is known. */
  readonly canvas: PlanCanvas | null;
}

/** Whether the canvas shows a plan: that of the run until it is approved, and then one of a part where a user wants that. */
export function useIsPlanCanvas(): boolean {
  const view = useGraphView();
  const isPlanned = useHost(
    ({ run }) => run !== null && run.endedAt === null && !run.isWatch && !run.planApproved,
  );
  const isInRun = usePlanInRun();
  return view === "canvas" && (isPlanned || isInRun);
}

export function usePlanCanvas(room: Room | null): ShownPlan {
  const draft = useDraftOfRun();
  const plan = draft?.plan ?? noPlan;
  const name = draft?.item.orchestrator ?? rootOrchestrator;
  const author = useHost((state) => state.run?.orchestrators.find((one) => one.name === name) ?? null);
  const problems = useProblems(draft?.item.id ?? null, draft?.plan ?? null);
  const ahead = useAhead(draft, author?.parent == null);
  const groups = useMemo(() => problemGroups(plan, problems), [plan, problems]);
  const worst = useMemo(() => worstOf(problems), [problems]);
  const canvas = useMemo(
    () => (room ? planCanvas({ plan, ahead, room, problems: groups }) : null),
    [plan, ahead, room, groups],
  );
  return { draft, plan, author, ahead, worst, canvas };
}

/** Another run may have a plan that waits as well: then the one that is chosen may be that one's. */
function useDraftOfRun(): PlanDraft | null {
  const run = useHost((state) => state.run?.id ?? null);
  return usePlanDrafts((state) => {
    const shown = shownDraft(state);
    if (shown?.item.run === run) return shown;
    return [...state.drafts.values()].find(({ item }) => item.run === run) ?? null;
  });
}

/** The stages of the run besides its tasks, as the shown draft has them. */
function useAhead(draft: PlanDraft | null, isRoot: boolean): RunCanvasInput["ahead"] {
  const plan = draft?.plan;
  const proposed = draft?.item.workflow;
  const workflow = useMemo(
    () => (plan && proposed ? decideWorkflow(plan, settingsOf(proposed)) : undecidedWorkflow),
    [plan, proposed],
  );
  const hasContracts = workflow.contracts.mode !== "off";
  const hasIntegration = workflow.integrator.mode !== "off";
  // Only the root's work is voted on.
  const seats = isRoot ? expectedSeats(workflow) : 0;
  return useMemo(
    () => ({ hasContracts, hasIntegration, seats, hasLanding: true }),
    [hasContracts, hasIntegration, seats],
  );
}
