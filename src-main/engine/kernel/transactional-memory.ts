/** Keeps memory in step with the journal: what was not written down did not happen. (PLAN-7) */
import type { Journal } from "../../journal/journal.ts";

/**
 * A journal that takes memory along: where it does not keep all of what is written together it keeps nothing, and then
 * memory goes back as well. Whoever tries again must not find half of it done.
 *
 * @param remember takes down what memory holds now, and returns the way back to that
 */
export function withRollback(journal: Journal, remember: () => () => void): Journal {
  let inside = false;
  return {
    ...journal,
    together(write) {
      if (inside) {
        write();
        return;
      }
      const goBack = remember();
      inside = true;
      try {
        journal.together(write);
      } catch (error) {
        goBack();
        throw error;
      } finally {
        inside = false;
      }
    },
  };
}
