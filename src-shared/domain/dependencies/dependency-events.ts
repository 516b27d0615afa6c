import { type DependencyRequest, dependencyKey } from "./request.ts";

/** What happens to the dependencies that agents of a run ask for. */
export type DependencyEvent =
  | {
      readonly kind: "Requested";
      readonly id: string;
      readonly worker: string;
      readonly why: string;
      readonly request: DependencyRequest;
    }
  | { readonly kind: "Decided"; readonly id: string; readonly decision: DependencyDecision }
  /** `changeId`: the change with it below all agents; null: it was there already. */
  | {
      readonly kind: "Installed";
      readonly id: string;
      readonly changeId: string | null;
      readonly words: string;
    }
  /** Nobody asks any more. */
  | { readonly kind: "Withdrawn"; readonly id: string }
  /** Nothing was changed. */
  | { readonly kind: "Failed"; readonly id: string; readonly words: string };

export type DependencyDecision =
  | {
      readonly kind: "allow";
      readonly by: "user" | "rule" | "run";
      /** The installed version, if it differs from the requested one. */
      readonly version: string | null;
      /** Further requests for this package are approved automatically. */
      readonly isForRun: boolean;
    }
  | { readonly kind: "deny"; readonly by: "user" | "rule"; readonly words: string };

/** One dependency that was asked for, by whomever. */
export interface DependencyState {
  readonly id: string;
  readonly request: DependencyRequest;
  /** The requesters in order, with their reasons. */
  readonly askers: readonly { readonly worker: string; readonly why: string }[];
  readonly decision: DependencyDecision | null;
  readonly outcome:
    | { readonly kind: "installed"; readonly changeId: string | null; readonly words: string }
    | { readonly kind: "withdrawn" }
    | { readonly kind: "failed"; readonly words: string }
    | null;
}

/** All of a run, the first first. */
export type Dependencies = readonly DependencyState[];

/** Adds an event. One about an unknown or finished request changes nothing. */
export function reduceDependencies(state: Dependencies, event: DependencyEvent): Dependencies {
  if (event.kind === "Requested") {
    const { id, request, worker, why } = event;
    const known = state.find((one) => one.id === id);
    if (known === undefined)
      return [...state, { id, request, askers: [{ worker, why }], decision: null, outcome: null }];
    if (known.askers.some((one) => one.worker === worker)) return state;
    return state.map((one) => (one === known ? { ...one, askers: [...one.askers, { worker, why }] } : one));
  }
  const next = state.map((one): DependencyState => {
    if (one.id !== event.id || !isOpen(one)) return one;
    switch (event.kind) {
      case "Decided":
        return one.decision === null ? { ...one, decision: event.decision } : one;
      case "Installed":
        return {
          ...one,
          outcome: { kind: "installed", changeId: event.changeId, words: event.words },
        };
      case "Withdrawn":
        return { ...one, outcome: { kind: "withdrawn" } };
      case "Failed":
        return { ...one, outcome: { kind: "failed", words: event.words } };
      default:
        event satisfies never;
        return one;
    }
  });
  return next.every((one, index) => one === state[index]) ? state : next;
}

/** Withdraws requests of one worker only; decided ones continue. */
export const withdrawAskedBy = (state: Dependencies, worker: string): Dependencies => {
  const isAlone = ({ askers }: DependencyState): boolean => askers.every((asker) => asker.worker === worker);
  return state
    .filter((one) => isOpen(one) && one.decision === null && isAlone(one))
    .reduce((left, { id }) => reduceDependencies(left, { kind: "Withdrawn", id }), state);
};

/** Whether something of it is still to be decided or done. */
export const isOpen = ({ decision, outcome }: DependencyState): boolean =>
  outcome === null && decision?.kind !== "deny";

/** The request of a worker that it waits for, or null. */
export const awaitedBy = (state: Dependencies, worker: string): DependencyState | null =>
  state.find((one) => isOpen(one) && one.askers.some((asker) => asker.worker === worker)) ?? null;

/** All that were asked for with exactly the same words and not withdrawn, the last last. */
export function sameRequests(state: Dependencies, request: DependencyRequest): Dependencies {
  const key = dependencyKey(request);
  return state.filter((one) => dependencyKey(one.request) === key && one.outcome?.kind !== "withdrawn");
}

/** Whether the user allowed a package for the rest of the run, in any version. */
export const isAllowedForRun = (state: Dependencies, { manager, name }: DependencyRequest): boolean =>
  state.some(
    ({ request, decision }) =>
      decision?.kind === "allow" &&
      decision.isForRun &&
      request.manager === manager &&
      request.name.toLowerCase() === name.toLowerCase(),
  );

/** What is installed: as decided, else as asked for. */
export const decidedRequest = ({ request, decision }: DependencyState): DependencyRequest =>
  decision?.kind === "allow" && decision.version !== null
    ? { ...request, version: decision.version }
    : request;
