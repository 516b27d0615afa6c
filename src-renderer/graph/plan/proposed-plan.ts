/** The plan drawn on the graph as ghosts, and its base. */
import { useMemo } from "react";
import { rootOrchestrator } from "#shared/domain/change-metadata/address.ts";
import type { Plan, PlanProblem } from "#shared/domain/plan/plan.ts";
import { useHost } from "../../state/host-store.ts";
import { useProblems } from "../../state/plan-amendment.ts";
import { shownDraft, usePlanDrafts } from "../../state/plan-draft.ts";
import { foldedRowOfKey, useModel } from "../model/graph-model.ts";

/** A plan that waits for approval, with the change it would be built on. */
export interface ProposedPlan {
  readonly plan: Plan;
  readonly problems: readonly PlanProblem[];
  /** Key of the base commit. */
  readonly on: string;
  /** True when that is the run's own base, which will hold the contracts. */
  readonly isOnContracts: boolean;
}

/**
 * Null while no plan waits for approval. `on` is the orchestrator's base, which will hold the contracts, or before there
 * is one the change that the run builds on.
 */
export function useProposedPlan(): ProposedPlan | null {
  const plan = usePlanDrafts((state) => shownDraft(state)?.plan ?? null);
  const author = usePlanDrafts((state) => shownDraft(state)?.item.orchestrator ?? rootOrchestrator);
  const item = usePlanDrafts((state) => shownDraft(state)?.item.id ?? null);
  const problems = useProblems(item, plan);
  const model = useModel((state) => state.model);
  const base = useHost((state) => state.run?.orchestrators.find(({ name }) => name === author)?.base ?? null);
  const onto = useHost((state) => state.run?.onto ?? null);
  return useMemo(() => {
    if (!plan || !model) return null;
    const on = [base, onto].find((one) => one !== null && foldedRowOfKey(model, one) >= 0);
    return on ? { plan, problems, on, isOnContracts: on === base } : null;
  }, [plan, problems, model, base, onto]);
}
