/** The journalled events of the dependencies that a run's agents ask for, and what they come to. */

import { createSerial } from "#shared/async/serial.ts";
import {
  type Dependencies,
  type DependencyEvent,
  foldDependencies,
} from "#shared/domain/dependencies/dependency-events.ts";
import type { Journal } from "../../journal/journal.ts";
import { createWaiters } from "../kernel/waiters.ts";
import type { DependencyLog } from "../services.ts";

const prefix = "dependencies/";

export function createDependencyLog(
  journal: Pick<Journal, "facts" | "setFact">,
  run: string,
  changed: () => void,
): DependencyLog {
  const events = journal.facts<DependencyEvent>(run, prefix).map(([, event]) => event);
  let state = events.reduce<Dependencies>(foldDependencies, []);
  let count = events.length;
  const waiters = createWaiters();
  const serial = createSerial();
  return {
    state: () => state,
    append(event) {
      journal.setFact(run, `${prefix}${String(count).padStart(6, "0")}`, event);
      count += 1;
      state = foldDependencies(state, event);
      waiters.wake();
      changed();
    },
    inOrder: (work) => serial.run("install", work),
    until: (condition, signal) => waiters.until(() => condition(state), signal),
  };
}
