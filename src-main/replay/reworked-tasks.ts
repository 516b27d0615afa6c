import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { RecordedEvent } from "#shared/run/events.ts";

/** How many tasks were sent back, restarted or reassigned. */
export function reworkedTasks(
  workers: readonly Pick<WorkerRecord, "name" | "role" | "replaces" | "fold">[],
  moments: readonly RecordedEvent[],
): number {
  const begunAnew = new Set(
    moments.flatMap(({ event }) =>
      event.kind === "WorkReset" || event.kind === "WorkUndone" ? [event.worker] : [],
    ),
  );
  return workers.filter(
    ({ name, role, replaces, fold }) =>
      roles[role].canWriteTask &&
      (replaces !== null ||
        begunAnew.has(name) ||
        (fold?.reviews.some(({ verdict }) => verdict === "changes") ?? false)),
  ).length;
}
