import type { WorkerRole } from "./worker-record.ts";

/**
 * What each role of a worker is and may do, for both sides. A new role is a row here, and one of what it costs and asks in
 * the engine; nobody asks for a role by its name.
 */
interface RoleTraits {
  /** Plans, hands tasks to others and answers for them; what it hands on is brought together in a change of its own. */
  readonly isLead: boolean;
  /** Writes the files of one task of a plan, which its parent reviews. */
  readonly canWriteTask: boolean;
  /** Brings all tasks of its parent together. */
  readonly canIntegrate: boolean;
  /** Works iteration by iteration in a workspace of its own, and is told what others write to it on the way. */
  readonly hasIterations: boolean;
  /** What its finished work is called: work that is yet to be reviewed, or done. */
  readonly finishedAs: "review" | "done";
  /** Stands among the workers of a run on screen, and not only with what it judged. */
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
  // Works in the middle of its caller's work, and hands its answer to nobody else.
  fork: none,
};
