import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { hasPendingHooks, hooksAfterMerge, hooksAfterRun, hooksOf, notifyHookResults } from "./hooks.ts";

/** What a user runs after an agent's turns, after merged work and after a run. */
export const userHooks: Feature<Run> = {
  name: "user-hooks",
  agents: {
    hooks: hooksOf,
    onHooks: notifyHookResults,
    afterMerge: {
      failure: (worker) => `The hooks that follow the merged work of ${worker} could not run`,
      perform: hooksAfterMerge,
    },
  },
  atCompletion: [{ kind: "HooksOwed" }],
  hasPendingEnd: hasPendingHooks,
  atRunEnd: hooksAfterRun,
};
