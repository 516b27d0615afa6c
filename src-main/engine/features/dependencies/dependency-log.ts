/** The dependencies that a run's agents ask for, as the run's events tell of them. */
import type { Run } from "../../ports.ts";
import type { DependencyLog } from "../../services.ts";

export const createDependencyLog = (getRun: () => Run): DependencyLog => ({
  state: () => getRun().facts.dependencies,
  append: (event) => getRun().append({ kind: "DependencyChanged", event }),
  inOrder: (work) => getRun().serial.run("install", work),
  until: (condition, signal) => getRun().waiters.until(() => condition(getRun().facts.dependencies), signal),
});
