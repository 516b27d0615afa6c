import type { AnyEvent } from "../any-event.ts";

/** Something that a named person did with a run, where several of them share its host. */
export interface UserActed {
  readonly kind: "UserActed";
  readonly by: string;
  /** As in "paused the run". */
  readonly did: string;
  /** The worker or change that it was about; null: the run. */
  readonly of: string | null;
}

/** By whom a run was changed, in the order in which it was. */
export type UserActs = readonly Omit<UserActed, "kind">[];

/** Kept of one run. */
const maxActs = 1_000;

/** @returns what it was given for another event */
export function reduceUserActs(acts: UserActs, event: UserActed | AnyEvent): UserActs {
  if (event.kind !== "UserActed" || !("by" in event)) return acts;
  const { kind: _, ...act } = event;
  return [...acts, act].slice(-maxActs);
}
