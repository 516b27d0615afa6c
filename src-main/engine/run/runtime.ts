/** Keeps a run going: schedules what its capabilities want. */

import { pending } from "#shared/domain/run/stage-actions.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { JjError } from "../../jj/process/errors.ts";
import { log } from "../../log/log.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import type {
  Failure,
  Feature,
  PendingKind,
  StageActionHandler,
  StageActions,
  StageWork,
  Wanted,
} from "../kernel/feature.ts";
import { warn } from "../kernel/notify.ts";
import {
  type AfterFailure,
  createScheduler,
  type Job,
  type Scheduler,
  startTicking,
  systemClock,
} from "../kernel/scheduler.ts";
import type { Run, RunReader } from "../ports.ts";
import { pendingTrouble, trouble } from "../trouble/trouble.ts";
import { orchestratorOnTask, rootOf, scoped, workerOnTask } from "../workers/hierarchy.ts";
import { absorbConcurrentWrite } from "../workspaces/concurrent-writes.ts";

/**
 * @param onFailure called when an action of a stage failed and the failure could not be recorded: the run
 *   must stop
 */
export function createRuntime(
  run: Run,
  features: readonly Feature<Run>[],
  onOver: () => void,
  onFailure: (error: unknown) => void,
): Scheduler {
  const clock = systemClock(run.monotonic);
  const isEnded = (): boolean => run.runEnded.signal.aborted;
  for (const { name, everyMs, look } of features.flatMap(({ ticks = [] }) => ticks))
    startTicking({
      everyMs: () => everyMs(run),
      look: () => look(run),
      isEnded: () => isEnded() || isOver(run.state),
      onFailure: (error) => notifyFailure(run, `tick/${name}`, `Checking ${name} failed`, error),
      clock,
    });
  return createScheduler({
    desired() {
      for (const { show } of features) show?.(run);
      return desiredJobs(run, features, onFailure);
    },
    isEnded,
    isOver: () => isOver(run.state),
    onOver,
    onUnreported: (job, error) => notifyFailure(run, job?.id ?? "", "Background work failed", error),
    clock,
  });
}

/**
 * The wanted jobs of a run: its stages and its capabilities' actions, with one policy for failures.
 * @param onFailure called when an action of a stage failed and the failure could not be recorded
 */
function desiredJobs(
  run: Run,
  features: readonly Feature<Run>[],
  onFailure: (error: unknown) => void,
): readonly Job[] {
  const stageActions = stageActionsOf(features);
  const isPaused = run.state.pause !== "none";
  return [
    ...pendingWork(run).map((work) => stageJob(run, stageActions, work, onFailure)),
    ...features
      .flatMap(({ background = [] }) => background)
      .filter(({ runsWhilePaused }) => runsWhilePaused || !isPaused)
      .flatMap(({ wanted }) => wanted(run).map((action) => backgroundJob(run, action))),
  ];
}

/**
 * The pending stage actions of all orchestrators of a run. A part is active only while its task is: pausing
 * the run or abandoning the task stops everything below it.
 */
export const pendingWork = (
  run: RunReader,
  orchestrator: string = rootOf(run),
): readonly StageWork<PendingKind>[] =>
  pending(run.stateOf(orchestrator)).flatMap((action) => {
    if (action.kind === "LogActivity") return [];
    const work = { id: scoped(orchestrator, action.id), orchestrator, action };
    const part = action.kind === "SpawnTaskAgent" ? orchestratorOnTask(run, orchestrator, action.task) : null;
    return part === null ? [work] : [work, ...pendingWork(run, part)];
  });

type Performers = Partial<StageActions<Run>>;

/** Who carries out each kind of action. */
const stageActionsOf = (features: readonly Feature<Run>[]): Performers =>
  Object.assign({}, ...features.map(({ stageActions = {} }) => stageActions));

/** A stage action is wanted until its event changes the stage, and cancelled when it is no longer wanted. */
function stageJob(
  run: Run,
  stageActions: Performers,
  work: StageWork<PendingKind>,
  onFailure: (error: unknown) => void,
): Job {
  const performer = performerOf(stageActions, work);
  let isCrossed = false;
  return {
    id: work.id,
    isCancelled: true,
    async perform(signal) {
      const before = run.stateOf(work.orchestrator);
      await pendingTrouble(run, work.id);
      // Who crossed us moved something, and what was read before is out of date.
      await (isCrossed ? run.refreshChanges() : refreshOnce(run));
      await performer.perform(run, work, signal);
      if (run.stateOf(work.orchestrator) !== before || signal.aborted || run.runEnded.signal.aborted) return;
      throw new Error(`Internal error: "${work.id}" finished without effect. Please report this.`);
    },
    async report(error, signal) {
      try {
        await hearOfAbandoned(run, error);
        if (signal.aborted) return "later";
        isCrossed = await absorbConcurrentWrite(run, work.id, error);
        if (isCrossed || signal.aborted || run.runEnded.signal.aborted) return "at-once";
        const worker =
          work.action.kind === "SpawnTaskAgent"
            ? (workerOnTask(run, work.orchestrator, work.action.task)?.name ?? null)
            : null;
        return await askWhatFailed(run, work.id, { title: performer.title, worker, isAsked: true }, error);
      } catch (unreported) {
        if (!(unreported instanceof Interrupted)) onFailure(unreported);
        throw unreported;
      }
    },
  };
}

/** The graph is read once before anything is done after a start. */
const refreshOnce = (run: Run): Promise<void> => run.once.make("first-read", () => run.refreshChanges());

function performerOf(
  stageActions: Performers,
  { action }: StageWork<PendingKind>,
): StageActionHandler<Run, PendingKind> {
  const performer = stageActions[action.kind];
  if (performer) return performer;
  throw new Error(`Internal error: no handler for ${action.kind}. Please report this.`);
}

/**
 * A missing change may have just been abandoned by the user: then the work is cancelled, and nothing need be
 * asked.
 */
async function hearOfAbandoned(run: Run, error: unknown): Promise<void> {
  if (!(error instanceof JjError) || error.kind !== "no-such-revision") return;
  try {
    await run.refreshChanges();
  } catch (again) {
    // What could not be found says it better than what kept us from looking, unless that is not jj's at all.
    if (!(again instanceof JjError)) throw again;
  }
}

/**
 * Actions of capabilities run to their end: the result is stored, and they check themselves whether it is
 * still wanted.
 */
function backgroundJob(run: Run, { id, perform, failure }: Wanted<Run>): Job {
  return {
    id,
    isCancelled: false,
    async perform() {
      if (failure.isAsked) await pendingTrouble(run, failure.of ?? id);
      await perform(run);
      run.once.forget(noticed(id));
    },
    report: (error) =>
      failure.isAsked
        ? askWhatFailed(run, failure.of ?? id, failure, error)
        : Promise.resolve(notifyFailure(run, id, failure.title, error)),
  };
}

async function askWhatFailed(
  run: Run,
  of: string,
  { title, worker = null }: Failure,
  error: unknown,
): Promise<AfterFailure> {
  return (await trouble(run, { of, worker, title, error })) ? "at-once" : "later";
}

const noticed = (id: string): string => `failed/${id}/`;

/** Reported once per reason until it succeeds, because retries would repeat it. */
function notifyFailure(
  run: Pick<Run, "id" | "once" | "emit">,
  id: string,
  title: string,
  error: unknown,
): AfterFailure {
  const { message, remedy } = explain(error);
  log.warn("background work failed", { run: run.id, work: id, error });
  if (run.once.isFirst(`${noticed(id)}${message}`)) warn(run, `${title}: ${message}`, remedy);
  return "later";
}
