import type { BudgetView } from "#shared/contract/views/budget.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { isMetByEverybody } from "../../model/model-error.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import { troubleOfAll } from "../moved-repository/repository-gone.ts";
import type { Run } from "../ports.ts";
import { letPass } from "../workspaces/crossings.ts";
import { saveAll } from "../workspaces/workspaces.ts";
import { answerTrouble, isTaskTrouble } from "./answer-trouble.ts";
import { spentBudgetOf } from "./worker-limits.ts";

/** The run's budget against what the wire reported. Asked before and after every request. (PLAN-4) */
export function budgetState(run: Run): BudgetView["state"] {
  const { limits } = run.facts;
  const { total } = run.spending;
  if (check(limits, total).kind === "exhausted") return "exhausted";
  const share = Math.max(
    limits.tokens === null ? 0 : totalTokens(total.usage) / limits.tokens,
    limits.microDollars === null ? 0 : total.microDollars / limits.microDollars,
  );
  return share >= run.config.budget.warnAt ? "warning" : "ok";
}

/**
 * What every conversation asks before each request. A budget of the worker's own stops it alone; null: one that has
 * none, and only the run's counts.
 */
export const gateOf = (run: Run, worker: string | null) => (): "pause" | "budget" | null => {
  if (run.held()) return "pause";
  if (budgetState(run) === "exhausted") return "budget";
  return worker === null || spentBudgetOf(run, worker) === null ? null : "pause";
};

/** The hard stop: all work is saved, then a person extends the budget or ends the run. */
export async function askForBudget(run: Run, stop: number): Promise<void> {
  await saveAll(run);
  // More may have been granted while nobody had asked yet.
  if (budgetState(run) !== "exhausted") {
    run.dispatch({ kind: "BudgetExtended" });
    return;
  }
  const { limits } = run.facts;
  const decision = await run.inbox.ask(
    `${run.id}/budget/${stop}`,
    () => ({
      kind: "budget",
      worker: null,
      spent: run.spending.total,
      limitTokens: limits.tokens,
      limitMicroDollars: limits.microDollars,
    }),
    run.ending.signal,
  );
  if (run.ending.signal.aborted) throw new Interrupted();
  if (decision.kind === "extend") {
    const { tokens, microDollars } = decision;
    run.append({ kind: "RunLimitsSet", limits: { tokens, microDollars } });
    run.dispatch({ kind: "BudgetExtended" });
  } else run.dispatch({ kind: "Stop", by: "budget" });
}

/** What keeps a worker, or an action that is no single worker's, from going on. */
export interface Trouble {
  /** Name of the worker, or id of the action. One question at a time for each. */
  readonly of: string;
  readonly worker: string | null;
  readonly title: string;
  readonly error: unknown;
}

/**
 * Waits out what keeps a worker from going on: a person looks at the trouble and says whether to try again. What only
 * crossed somebody's command in a terminal passes by itself.
 * Answers with true to try again, false when the task was given up or the run shall end.
 */
export async function trouble(run: Run, met: Trouble): Promise<boolean> {
  if (await letPass(run, met.of, met.error)) return true;
  const problem = ofProvider(troubleOfAll(run, met));
  const count = troubleCount(run, problem.of);
  const { worker, title } = problem;
  const { message, remedy } = explain(problem.error);
  const ofTask = isTaskTrouble(run, worker);
  if (met.worker) run.show(met.worker, "waiting", "waits for you: trouble");
  const id = troubleId(run, problem.of, count);
  const decision = await run.inbox.ask(
    id,
    () => ({ kind: "trouble", title, detail: message, remedy, worker, ...(ofTask ? { task: true } : {}) }),
    run.ending.signal,
  );
  const came = worker !== null && ofTask ? await answerTrouble(run, worker, id, decision) : null;
  run.append({ kind: "TroubleAnswered", of: problem.of });
  if (came === "open") return trouble(run, problem);
  if (came === "again" || decision.kind === "retry") return true;
  // Taken back with its task: nobody waits for it any more.
  const gone = worker !== null && run.worker(worker).record.status === "abandoned";
  if (came === null && !gone) run.dispatch({ kind: "Error", reason: `${title}: ${message}`, remedy });
  return false;
}

/** What the provider has against the key is everybody's: one card, and whoever comes upon it waits for the same answer. */
function ofProvider(found: Trouble): Trouble {
  const { error } = found;
  return isMetByEverybody(error)
    ? { of: `${providers}${error.kind}`, worker: null, title: "No model can be asked", error }
    : found;
}

const providers = "provider/";

/** After a restart, what has its trouble on the table still waits for the answer before it tries anything. */
export async function pendingTrouble(run: Run, of: string): Promise<void> {
  for (const shared of sharedTroubles(run)) await openTrouble(run, shared);
  await openTrouble(run, of);
}

/** What the provider has against everybody, and is on the table. */
const sharedTroubles = (run: Run): readonly string[] =>
  run.inbox
    .items()
    .filter(({ id }) => id.startsWith(`${run.id}/trouble/${providers}`))
    .map(({ id }) => id.slice(`${run.id}/trouble/`.length, id.lastIndexOf("/")));

/** Waits for the answer to a trouble that is on the table. */
async function openTrouble(run: Run, of: string): Promise<void> {
  const id = troubleId(run, of, troubleCount(run, of));
  if (!run.inbox.isOpen(id)) return;
  const item = run.inbox.items().find((one) => one.id === id);
  const title = item?.kind === "trouble" ? item.title : of;
  const error = item?.kind === "trouble" ? { message: item.detail, remedy: item.remedy } : null;
  const worker = item?.kind === "trouble" ? item.worker : null;
  if (!(await trouble(run, { of, worker, title, error }))) throw new Interrupted();
}

const troubleId = (run: Run, of: string, count: number): string => `${run.id}/trouble/${of}/${count}`;

const troubleCount = (run: Run, of: string): number => run.facts.troubles[of] ?? 0;
