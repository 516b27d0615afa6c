import { orientationHashes } from "#shared/domain/orientation/orientation.ts";
import { runOrientation } from "#shared/domain/orientation/run-orientation.ts";
import { section } from "#shared/domain/text/prompt-text.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import type { OrientationOf } from "../../../services.ts";
import { todoLines, todoTool } from "./todo-tool.ts";

/** Where everybody is: derived whenever somebody asks, and kept nowhere. (AX-5, AX-9) */
export const orientation: Feature<Run> = {
  name: "orientation",
  services: (run) => ({ orientation: { of: (worker) => orientationOf(run, worker) } }),
  commands: ({ opened }) => ({
    "run.orientation"({ worker }) {
      const run = opened();
      if (run === null) throw new EngineRefusal("No run in this repository.", "Start one with a goal.");
      return orientationOf(run, worker)?.value ?? null;
    },
  }),
  agents: {
    tools: (run, worker) => [todoTool(run, worker)],
    prompt: {
      todos: (run, { worker }) => [section("Your steps so far", todoLines(run, worker))],
    },
  },
};

function orientationOf(run: RunReader, worker: string | null): OrientationOf | null {
  const { goal } = run.row.input;
  const value = runOrientation(
    { ...run.facts, goal, startedAt: run.row.startedAt, changes: run.changes },
    worker,
  );
  if (value === null) return null;
  return {
    value,
    // Each view of a run asks for the place of every worker, and hardly anybody for these.
    get hashes() {
      return orientationHashes(value);
    },
  };
}
