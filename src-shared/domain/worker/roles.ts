import type { WorkerRole } from "./worker-record.ts";

/**
 * What each role of a worker is and may do, for both sides. A new role is a row here, and one for cost and
 * questions in the engine; code does not compare role names.
 */
interface RoleTraits {
  /** Plans, delegates tasks and answers for them; its tasks are merged in a separate change. */
  readonly isLead: boolean;
  /** Writes the files of one task of a plan, which its parent reviews. */
  readonly canWriteTask: boolean;
  /** Brings all tasks of its parent together. */
  readonly canIntegrate: boolean;
  /** Works in iterations in its own workspace, and receives messages meanwhile. */
  readonly hasIterations: boolean;
  /** What its finished work is called: work that is yet to be reviewed, or done. */
  readonly finishedAs: "review" | "done";
  /** Shown among the workers of a run, and not only with what it judged. */
  readonly isListed: boolean;
}

const none: RoleTraits = {
  isLead: false,
  canWriteTask: false,
  canIntegrate: false,
  hasIterations: false,
  finishedAs: "done",
  isListed: true,
};

export const roles: Readonly<Record<WorkerRole, RoleTraits>> = {
  orchestrator: { ...none, isLead: true },
  agent: { ...none, canWriteTask: true, hasIterations: true, finishedAs: "review" },
  integrator: { ...none, canIntegrate: true, hasIterations: true },
  validator: { ...none, isListed: false },
  reviewer: none,
  archangel: none,
  // Works inside its caller's work, and returns its answer only there.
  fork: none,
};
