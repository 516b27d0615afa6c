import type { ArchangelWake } from "./archangel.ts";

/** What an archangel that comes with Hox watches, and when it wakes, where the file says nothing else. */
export interface ArchangelPreset {
  readonly paths: readonly string[];
  readonly wakes: readonly ArchangelWake[];
}

/** Each with its purpose in `resources/prompts/archangel-<name>.md`. Off until the file switches one on. */
export const archangelPresets: Readonly<Record<string, ArchangelPreset>> = {
  "plan-keeper": {
    paths: [],
    wakes: ["iteration_saved", "plan_changed", "decision_applied", "phase_end", "session_turn"],
  },
  security: { paths: [], wakes: ["iteration_saved", "work_offered", "session_turn"] },
  tests: { paths: [], wakes: ["work_offered", "phase_end", "session_turn"] },
  simplicity: { paths: [], wakes: ["work_offered", "idle", "session_turn"] },
};

/** When one wakes that Hox does not bring and whose table says nothing of it. */
export const defaultWakes: readonly ArchangelWake[] = ["iteration_saved", "work_offered"];
