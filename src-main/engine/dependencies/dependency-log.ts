/** The journalled events of the dependencies that a run's agents ask for, and what they come to. */
import {
  type Dependencies,
  type DependencyEvent,
  foldDependencies,
} from "#shared/domain/dependencies/dependency-events.ts";
import type { Journal } from "../../journal/journal.ts";
import { Interrupted } from "../engine-errors.ts";
import type { DependencyLog } from "../ports.ts";

const prefix = "dependencies/";

export function createDependencyLog(
  journal: Pick<Journal, "facts" | "setFact">,
  run: string,
  changed: () => void,
): DependencyLog {
  const events = journal.facts<DependencyEvent>(run, prefix).map(([, event]) => event);
  let state = events.reduce<Dependencies>(foldDependencies, []);
  let count = events.length;
  const waiters = new Set<() => void>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    state: () => state,
    append(event) {
      journal.setFact(run, `${prefix}${String(count).padStart(6, "0")}`, event);
      count += 1;
      state = foldDependencies(state, event);
      for (const wake of [...waiters]) wake();
      changed();
    },
    inOrder(work) {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
    async until(condition, signal) {
      while (!condition(state)) {
        if (signal.aborted) throw new Interrupted();
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiters.delete(wake);
            signal.removeEventListener("abort", wake);
            resolve();
          };
          waiters.add(wake);
          signal.addEventListener("abort", wake, { once: true });
        });
      }
    },
  };
}
