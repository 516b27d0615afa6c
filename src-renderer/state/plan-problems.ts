/** What is wrong with a draft: at once by the plan alone, soon after with what the files of the repository say. */
import { create } from "zustand";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import type { PlanProblem } from "#shared/domain/plan/plan-problem.ts";
import { client } from "../client.ts";
import { shownDraft, usePlanDrafts } from "./plan-draft.ts";
import type { PlanDraft } from "./plan-item.ts";

/** What the host said last of one waiting plan. */
interface Checked {
  readonly plan: Plan | null;
  /** What of its card was shown then: a card is another one once the files of other runs are. */
  readonly shown: string;
  readonly problems: readonly PlanProblem[];
}

const unchecked: Checked = { plan: null, shown: "", problems: [] };

/** By the id of the inbox item: plans of several parts may name their tasks alike. */
const useChecked = create<{ readonly byItem: ReadonlyMap<string, Checked> }>(() => ({ byItem: new Map() }));

const pauseMs = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What the plan alone does not say. */
const isHostsOwn = (kind: PlanProblem["kind"]): boolean => kind === "import" || kind === "taken";

/** Problems of a plan as far as they are known. Until the host has answered, its last word on imports and other runs stays. */
function problemsNow(plan: Plan, checked: Checked): readonly PlanProblem[] {
  if (checked.plan === plan) return checked.problems;
  const ids = new Set(plan.tasks.map((task) => task.id));
  const known = new Set<string>();
  const all = [...checkPlan(plan), ...checked.problems.filter(({ kind }) => isHostsOwn(kind))];
  return all.filter((problem) => {
    if (known.has(problem.text) || (isHostsOwn(problem.kind) && !problem.tasks.every((id) => ids.has(id))))
      return false;
    known.add(problem.text);
    return true;
  });
}

const memo = new WeakMap<Plan, { readonly checked: Checked; readonly problems: readonly PlanProblem[] }>();

/** Problems of the plan of an inbox item, as it is edited. */
export function useProblems(item: string | null, plan: Plan | null): readonly PlanProblem[] {
  return useChecked(({ byItem }) => {
    if (item === null || plan === null) return none;
    const checked = byItem.get(item) ?? unchecked;
    const known = memo.get(plan);
    if (known?.checked === checked) return known.problems;
    const problems = problemsNow(plan, checked);
    memo.set(plan, { checked, problems });
    return problems;
  });
}

const none: readonly PlanProblem[] = [];

/** Asks the host about the plan that is shown whenever it has come to rest. */
export function checkShownPlan(): void {
  usePlanDrafts.subscribe((state) => {
    const draft = shownDraft(state);
    clearTimeout(timer);
    if (draft === null) return;
    const known = useChecked.getState().byItem.get(draft.item.id);
    if (draft.plan === known?.plan && draft.item.shown === known.shown) return;
    timer = setTimeout(() => void ask(draft), pauseMs);
  });
}

async function ask({ item, plan }: PlanDraft): Promise<void> {
  try {
    const problems = await client.plan.check({ run: item.run, orchestrator: item.orchestrator, plan });
    useChecked.setState(({ byItem }) => ({
      byItem: new Map(byItem).set(item.id, { plan, shown: item.shown, problems }),
    }));
  } catch {
    // What the plan alone says stays on screen; the host checks again when it is approved.
  }
}
