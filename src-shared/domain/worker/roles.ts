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

const states: ReadonlySet<string> = new Set(["thinking", "tools", "checking"]);

/**
 * Whether a worker is in the middle of a turn: it asks its model, uses a tool, or its checks run.
 *
 * @param state what `WorkerView` says of it
 */
export const isAtWork = (state: string): boolean => states.has(state);

/** The activity of a worker that could begin, if there were room. How many places there are is counted where it is shown. */
export const waitsForPlace = "waiting for a free slot";

/** Where the number is set, by interface. */
export const placesAreSetIn = {
  window: "“Agents at once” in the budget",
  terminal: "hox budget --agents",
} as const;

interface RunWithPlaces {
  readonly workers: readonly { readonly role: WorkerRole; readonly state: string }[];
  readonly maxParallelAgents: number;
}

/** More than these of one run never work at once, on however many machines. */
export const maxAgentsAtOnce = 100;

/** How many of the run's places its own agents have, and no more than there are: the last in order give theirs back late. */
export const placesTaken = ({ workers, maxParallelAgents }: RunWithPlaces): number =>
  Math.min(
    maxParallelAgents,
    workers.filter(({ role, state }) => (role === "agent" || role === "integrator") && isAtWork(state))
      .length,
  );

/** Why a ready worker waits: how many slots there are, how many are used, and where to change that. */
export function formatWaitsForSlot(run: RunWithPlaces, reader: keyof typeof placesAreSetIn): string {
  const taken = placesTaken(run);
  const all = run.maxParallelAgents;
  const counted =
    taken < all
      ? // Runs of one host share them, and checks of finished work take one as well.
        `${taken} of ${all} ${taken === 1 ? "is" : "are"} taken here, the rest by checks or other runs`
      : `${taken} of ${all} ${all === 1 ? "is" : "are"} taken`;
  return `${waitsForPlace}: ${counted} (${placesAreSetIn[reader]})`;
}
