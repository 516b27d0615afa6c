/** A run's first look, as the run's events tell of it. */
import type { Run } from "../../ports.ts";
import type { FirstLookLog } from "../../services.ts";

export const createFirstLookLog = (getRun: () => Run): FirstLookLog => ({
  state: () => getRun().facts.firstLook,
  append: (event) => getRun().append({ kind: "FirstLookChanged", event }),
});
