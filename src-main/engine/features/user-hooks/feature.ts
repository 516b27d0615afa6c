import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { hooksAfterRun } from "./hooks.ts";

/** What a user runs after an agent's turns, after merged work and after a run. */
export const userHooks: Feature<Run> = {
  name: "user-hooks",
  atRunEnd: hooksAfterRun,
};
