/** Who of the archangels should look at something now. */
import { type Archangel, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { type DueReview, deliveryTo, dueReview } from "#shared/domain/archangel/archangel-records.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import type { Action } from "../../../kernel/feature.ts";
import type { RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { budgetState } from "../../../workers/run-budget.ts";
import { spentBudgetOf } from "../../../workers/worker-limits.ts";

export interface Review extends Action {
  readonly archangel: string;
}

/** Another id for each review; what comes while one is thought about is in the next. */
export const dueReviews = (run: RunReader): readonly Review[] =>
  run.state.course.stage === "idle" || budgetState(run) === "exhausted"
    ? []
    : archangelsOf(run.config).flatMap((archangel) => {
        const due = dueFor(run, archangel);
        if (due === null || isSpent(run, archangel) || isStopped(run, archangel)) return [];
        const { parentContextOffset, lastAnalysisAt } = deliveryTo(run.facts.archangels, archangel.name);
        const id = `archangel/${archangel.name}/${parentContextOffset}/${lastAnalysisAt ?? 0}`;
        return [{ id, archangel: archangel.name }];
      });

export const dueFor = (run: RunReader, archangel: Archangel): DueReview | null =>
  dueReview(run.facts.archangels, archangel);

/** The run's budget is spent, for which a card exists already, or its own. */
function isStopped(run: RunReader, { name }: Archangel): boolean {
  const worker = archangelWorker(name);
  const speaker = run.workers.has(worker) ? worker : rootOf(run);
  return run.workers.has(speaker) && spentBudgetOf(run, speaker) !== null;
}

/** Its own budget is: it wakes no more. Nobody is asked; it is an extra. */
export const isSpent = (run: RunReader, { name, tokens, microDollars }: Archangel): boolean =>
  check({ tokens, microDollars }, run.spending.byWorker.get(archangelWorker(name)) ?? nothingSpent).kind ===
  "exhausted";

/** As it is set up now; null where the settings know it no more. */
export const archangelNamed = (run: RunReader, name: string): Archangel | null =>
  archangelsOf(run.config).find((one) => one.name === name) ?? null;
