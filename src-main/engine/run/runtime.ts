/** Lets a run go on: what its capabilities want, by the one scheduler. */
import { isOver } from "#shared/domain/run/stage-state.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Feature } from "../kernel/feature.ts";
import { createScheduler, type Scheduler } from "../kernel/scheduler.ts";
import { startTicking } from "../kernel/ticks.ts";
import type { Run } from "../ports.ts";
import { desiredJobs, notifyFailure } from "./jobs.ts";

/** @param onFailure called when an action of the course failed and not even that could be taken down: nothing may go on beyond it */
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
