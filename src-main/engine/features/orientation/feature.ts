import { orientationHashes } from "#shared/domain/orientation/orientation.ts";
import { runOrientation } from "#shared/domain/orientation/run-orientation.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run, RunReader } from "../../ports.ts";
import type { OrientationOf } from "../../services.ts";

/** Where everybody is: derived whenever somebody asks, and kept nowhere. (AX-5, AX-9) */
export const orientation: Feature<Run> = {
  name: "orientation",
  services: (run) => ({ orientation: { of: (worker) => orientationOf(run, worker) } }),
};

function orientationOf(run: RunReader, worker: string | null): OrientationOf | null {
  const { goal } = run.row.input;
  const value = runOrientation(
    { ...run.facts, goal, startedAt: run.row.startedAt, changes: run.changes },
    worker,
  );
  return value && { value, hashes: orientationHashes(value) };
}
