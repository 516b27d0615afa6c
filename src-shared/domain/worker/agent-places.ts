/** Places for agents that work at once: what window and terminal say of one that waits for a place. */
import { isAtWork } from "./at-work.ts";
import type { WorkerRole } from "./worker-record.ts";

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
