/** Files that other runs of this repository claim, for a plan that is proposed, approved or amended. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { type TakenClaim, takenProblems } from "#shared/domain/plan/plan-check.ts";
import type { Run } from "../../../ports.ts";
import { hasContracts, orchestratorsOf, rootOf, workerOnTask } from "../../../workers/hierarchy.ts";

/** The approved plans of other active runs. */
export const takenClaims = (run: Run): readonly TakenClaim[] =>
  run.others().flatMap((other) =>
    orchestratorsOf(other).flatMap((orchestrator) => {
      const { plan, planApproved } = other.orchestratorFacts(orchestrator);
      if (plan === null || !planApproved) return [];
      const root = rootOf(other);
      const contracts = hasContracts(other, orchestrator) ? plan.contracts.files : [];
      return [
        ...contracts.map((claim) => ({ claim, by: orchestrator, root, title: plan.contracts.title })),
        ...plan.tasks.flatMap(({ id, title, files }) => {
          const by = workerOnTask(other, orchestrator, id)?.name ?? orchestrator;
          return files.map((claim) => ({ claim, by, root, title }));
        }),
      ];
    }),
  );

/** Updates a waiting plan when another run claims or releases its files. */
export function showTaken(run: Run): void {
  for (const card of run.inbox.items()) {
    if (card.kind !== "plan") continue;
    const { id, run: _run, at: _at, nonce: _nonce, shown: _shown, ...rest } = card;
    const orchestrator = card.orchestrator;
    const taken = takenClaimTexts(run, orchestrator, card.plan);
    const { taken: known = [], ...others } = rest;
    if (JSON.stringify(known) === JSON.stringify(taken)) continue;
    const problems = [...taken, ...card.problems.filter((text) => !known.includes(text))];
    run.inbox.replace(id, { ...others, ...takenOn(taken), problems });
  }
}

/** The problems of a plan that are with other runs. */
export const takenClaimTexts = (run: Run, orchestrator: string, plan: Plan): readonly string[] =>
  takenProblems(plan, takenClaims(run), hasContracts(run, orchestrator)).map(({ text }) => text);

/** As a card has them. */
export const takenOn = (taken: readonly string[]): { readonly taken?: readonly string[] } =>
  taken.length > 0 ? { taken } : {};
