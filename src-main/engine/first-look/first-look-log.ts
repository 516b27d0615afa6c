/** The journalled events of a run's first look, and what they come to. */
import { type FirstLookEvent, foldFirstLook, notLooked } from "#shared/domain/project/first-look.ts";
import type { Journal } from "../../journal/journal.ts";
import type { FirstLookLog } from "../services.ts";

const prefix = "first-look/";

export function createFirstLookLog(
  journal: Pick<Journal, "facts" | "setFact">,
  run: string,
  changed: () => void,
): FirstLookLog {
  const events = journal.facts<FirstLookEvent>(run, prefix).map(([, event]) => event);
  let state = events.reduce(foldFirstLook, notLooked);
  let count = events.length;
  return {
    state: () => state,
    append(event) {
      journal.setFact(run, `${prefix}${String(count).padStart(6, "0")}`, event);
      count += 1;
      state = foldFirstLook(state, event);
      changed();
    },
  };
}
