/** What a run has spent, and how full the conversations are that it was spent in. */
import { fullPercent } from "#shared/domain/spending/budget.ts";
import {
  addSpent,
  contextTokens,
  nothingSpent,
  type Spent,
  withPoint,
} from "#shared/domain/spending/usage.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Journal } from "../../journal/journal.ts";
import { warn } from "../kernel/notify.ts";
import type { Run, Worker } from "../ports.ts";

/** As the journal has it. */
export function readSpending(journal: Pick<Journal, "spending">, run: string): Run["spending"] {
  const spending: Run["spending"] = { total: nothingSpent, byWorker: new Map(), history: [] };
  for (const one of journal.spending(run)) count(spending, one.worker, one.spent, one.at);
  return spending;
}

/** Counts the cost of a request once, even if it is reported again. */
export function spend(
  run: Pick<Run, "id" | "journal" | "newId" | "now" | "metrics" | "spending" | "worker" | "known" | "emit">,
  name: string,
  spent: Spent,
  model: string,
): void {
  if (!run.journal.addSpending(run.id, name, run.newId(), model, spent)) return;
  run.metrics.spent(name, spent);
  count(run.spending, name, spent, run.now());
  const worker = run.worker(name);
  const before = worker.contextTokens;
  worker.contextTokens = contextTokens(spent.usage);
  warnOfFullContext(run, worker, before, run.known?.contextWindow(model) ?? 0);
}

function count(spending: Run["spending"], worker: string, spent: Spent, at: number): void {
  spending.total = addSpent(spending.total, spent);
  spending.byWorker.set(worker, addSpent(spending.byWorker.get(worker) ?? nothingSpent, spent));
  spending.history = withPoint(spending.history, [at, spending.total.microDollars]);
}

/** Once per conversation; what it learned is in the files and the change. (PLAN-4) */
function warnOfFullContext(
  run: Pick<Run, "emit">,
  { record, contextTokens: filled }: Worker,
  before: number,
  window: number,
): void {
  const percent = fullPercent(filled, window);
  if (percent === null || fullPercent(before, window) !== null) return;
  warn(
    run,
    `The conversation of ${record.name} uses ${percent} % of its model's context window.`,
    roles[record.role].hasIterations
      ? "Its next iteration starts with a fresh context. If this happens often, give it smaller tasks."
      : "Before it is full, Hox removes old parts and keeps decisions. To avoid this, use smaller runs or set a model with a larger window in [models].",
  );
}
