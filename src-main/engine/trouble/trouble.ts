/** Shows a problem that blocks a worker as a card, and waits for the answer. */

import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { log } from "../../log/log.ts";
import { isMetByEverybody } from "../../model/model-error.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import type { TroubleEnd } from "../kernel/feature.ts";
import { troubleOfAll } from "../moved-repository/repository-gone.ts";
import type { Run, RunReader } from "../ports.ts";
import { absorbConcurrentWrite } from "../workspaces/concurrent-writes.ts";

/** A problem that blocks a worker, or an action of no single worker. */
export interface Trouble {
  /** Name of the worker, or id of the action. One question at a time for each. */
  readonly of: string;
  readonly worker: string | null;
  readonly title: string;
  readonly error: unknown;
}

/**
 * Waits until the problem is solved: the user decides on a card whether to retry. A conflict with a command
 * in a terminal is retried automatically. Returns true to retry, false when the task was given up or the run
 * should end.
 */
export async function trouble(run: Run, met: Trouble): Promise<boolean> {
  if (await absorbConcurrentWrite(run, met.of, met.error)) return true;
  const problem = ofProvider(troubleOfAll(run, met));
  const count = troubleCount(run, problem.of);
  const { worker, title } = problem;
  const { message, remedy } = explain(problem.error);
  log.warn("work failed", {
    run: run.id,
    work: problem.of,
    worker,
    attempt: count + 1,
    error: problem.error,
  });
  const ofTask = isTaskTrouble(run, worker);
  if (met.worker) run.setActivity(met.worker, "waiting", "waiting for you: error");
  const id = troubleId(run, problem.of, count);
  const decision = await run.inbox.ask(id, () => ({
    ...{ kind: "trouble", title, detail: message, remedy, worker },
    ...(ofTask && worker !== null ? { task: true, ...failingChecks(run, worker) } : {}),
  }));
  const came = worker !== null && ofTask ? await answerOf(run, worker, id, decision) : null;
  run.append({ kind: "TroubleAnswered", of: problem.of });
  if (came === "open") return trouble(run, problem);
  if (came === "again" || decision.kind === "retry") return true;
  // Withdrawn with its task.
  const gone = worker !== null && run.worker(worker).record.status === "abandoned";
  if (came === null && !gone) run.dispatch({ kind: "Error", reason: `${title}: ${message}`, remedy });
  return false;
}

/** A problem with the API key concerns all workers: one card, and each waits for the same answer. */
function ofProvider(found: Trouble): Trouble {
  const { error } = found;
  return isMetByEverybody(error)
    ? { of: `${providers}${error.kind}`, worker: null, title: "Models are not available", error }
    : found;
}

const providers = "provider/";

/** After a restart, what has its trouble on the table still waits for the answer before it tries anything. */
export async function pendingTrouble(run: Run, of: string): Promise<void> {
  for (const shared of sharedTroubles(run)) await openTrouble(run, shared);
  await openTrouble(run, of);
}

/** Open problems with the provider that block all workers. */
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

const troubleId = (run: RunReader, of: string, count: number): string => `${run.id}/trouble/${of}/${count}`;

const troubleCount = (run: RunReader, of: string): number => run.facts.troubles[of] ?? 0;

/** Whether the trouble is an agent's with its task, and not the run's or an orchestrator's. */
function isTaskTrouble(run: RunReader, worker: string | null): boolean {
  const record = worker === null ? undefined : run.workers.get(worker)?.record;
  return record !== undefined && roles[record.role].canWriteTask && record.task !== null;
}

/** What a user may change or leave out, where checks keep an agent from being done. */
function failingChecks(run: RunReader, worker: string): Pick<ItemOf<"trouble">, "checks"> {
  const checks = run.worker(worker).record.checks.filter(isBlocking);
  return checks.length === 0
    ? {}
    : { checks: checks.map(({ name, command, outcome }) => ({ name, command, outcome })) };
}

/** Whoever knows of tasks carries the answer out. */
async function answerOf(
  run: Run,
  worker: string,
  card: string,
  decision: AnswerTo<"trouble">,
): Promise<TroubleEnd | null> {
  for (const { answerTrouble } of run.features)
    if (answerTrouble) return answerTrouble(run, worker, card, decision);
  return null;
}
