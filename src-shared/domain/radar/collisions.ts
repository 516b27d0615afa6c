/** Forecast conflicts that a run acts on: which prompts named them, what their orchestrator ordered, and which agent waits. */

import type { AnyEvent } from "../any-event.ts";
import { shownName } from "../text/shown-text.ts";
import type { FilePlace } from "./radar.ts";

/** What is done about a collision: nothing more, or one of the two waits until the other's work is merged. */
type CollisionOrder =
  | { readonly kind: "continue" }
  | {
      readonly kind: "wait";
      readonly worker: string;
      readonly for: string;
      /** Why the wait is over; null while it lasts. */
      readonly ended: WaitEnd | null;
    };

/** `merged`: it has the other's work now. The others: the other will not finish soon, or the wait is not wanted. */
export type WaitEnd = "merged" | "abandoned" | "undone" | "stopped" | "finished" | "user";

/** Two agents whose work would conflict, and what was ordered. Plain JSON. */
export interface Collision {
  /** The same for the same two workers. */
  readonly id: string;
  readonly a: string;
  readonly b: string;
  /** As found last. */
  readonly places: readonly FilePlace[];
  /** All files in which they met, in the order in which they were found. */
  readonly files: readonly string[];
  /** Worker → how many of the files its prompts have named. */
  readonly reported: Readonly<Record<string, number>>;
  /** The question to their orchestrator that names it, by its key; null while it was not asked. */
  readonly asked: string | null;
  /** The orchestrator that ordered it, or `hox` by the settings; empty before. */
  readonly orderedBy: string;
  readonly order: CollisionOrder | null;
}

/** All of a run, the first first. */
export type Collisions = readonly Collision[];

export type CollisionEvent =
  /** New ones, or known ones in further files. */
  | {
      readonly kind: "CollisionsFound";
      readonly pairs: readonly Pick<Collision, "a" | "b" | "places">[];
    }
  /** Their orchestrator is asked about these. */
  | { readonly kind: "CollisionsAsked"; readonly key: string; readonly ids: readonly string[] }
  /** A worker's prompt named all files of these. */
  | { readonly kind: "CollisionsReported"; readonly worker: string; readonly ids: readonly string[] }
  /** `waits`: of these the ones in which one waits; in the others both continue. The first order stays. */
  | {
      readonly kind: "CollisionsOrdered";
      readonly by: string;
      readonly ids: readonly string[];
      readonly waits: readonly { readonly id: string; readonly worker: string; readonly for: string }[];
    }
  | { readonly kind: "CollisionWaitEnded"; readonly id: string; readonly why: WaitEnd };

export const collisionId = (a: string, b: string): string => `${a}/${b}`;

/** Adds an event. Total: one that does not fit changes nothing. */
export function reduceCollisions(collisions: Collisions, given: CollisionEvent | AnyEvent): Collisions {
  const event = given as CollisionEvent;
  switch (event.kind) {
    case "CollisionsFound":
      return event.pairs.reduce(found, collisions);
    case "CollisionsAsked":
      return changed(collisions, (one) =>
        event.ids.includes(one.id) && one.asked === null && one.order === null
          ? { ...one, asked: event.key }
          : one,
      );
    case "CollisionsReported":
      return changed(collisions, (one) =>
        event.ids.includes(one.id) && one.reported[event.worker] !== one.files.length
          ? { ...one, reported: { ...one.reported, [event.worker]: one.files.length } }
          : one,
      );
    case "CollisionsOrdered": {
      let all = collisions;
      for (const id of event.ids) {
        const wait = event.waits.find((one) => one.id === id);
        all = changed(all, (one) =>
          one.id === id && one.order === null ? ordered(all, one, event.by, wait) : one,
        );
      }
      return all;
    }
    case "CollisionWaitEnded":
      return changed(collisions, (one) =>
        one.id === event.id && one.order?.kind === "wait" && one.order.ended === null
          ? { ...one, order: { ...one.order, ended: event.why } }
          : one,
      );
    default:
      return collisions;
  }
}

function found(collisions: Collisions, { a, b, places }: Pick<Collision, "a" | "b" | "places">): Collisions {
  const id = collisionId(a, b);
  const known = collisions.find((one) => one.id === id);
  if (!known) {
    if (a === b) return collisions;
    const files = [...new Set(places.map(({ path }) => path))];
    return [
      ...collisions,
      { id, a, b, places, files, reported: {}, asked: null, orderedBy: "", order: null },
    ];
  }
  const files = [...new Set([...known.files, ...places.map(({ path }) => path)])];
  if (files.length === known.files.length) return collisions;
  return changed(collisions, (one) => (one === known ? { ...one, places, files } : one));
}

/** Two that wait for each other would wait for ever: then both continue. */
function ordered(
  all: Collisions,
  one: Collision,
  by: string,
  wait: { readonly worker: string; readonly for: string } | undefined,
): Collision {
  const isOfPair = wait && [one.a, one.b].includes(wait.worker) && [one.a, one.b].includes(wait.for);
  return isOfPair && !waitsInCircle(all, wait)
    ? { ...one, orderedBy: by, order: { kind: "wait", worker: wait.worker, for: wait.for, ended: null } }
    : { ...one, orderedBy: by, order: { kind: "continue" } };
}

function changed(collisions: Collisions, change: (one: Collision) => Collision): Collisions {
  const next = collisions.map(change);
  return next.every((one, at) => one === collisions[at]) ? collisions : next;
}

/** A wait that lasts. */
export interface CollisionWait {
  readonly id: string;
  readonly worker: string;
  readonly for: string;
  readonly files: readonly string[];
}

export const openWaits = (collisions: Collisions): readonly CollisionWait[] =>
  collisions.flatMap(({ id, order, files }) =>
    order?.kind === "wait" && order.ended === null
      ? [{ id, worker: order.worker, for: order.for, files }]
      : [],
  );

/** What a worker waits for now; null if it may work. */
export const waitOf = (collisions: Collisions, worker: string): CollisionWait | null =>
  openWaits(collisions).find((one) => one.worker === worker) ?? null;

/** Whether a wait would close a circle with those that last. */
export function waitsInCircle(
  collisions: Collisions,
  wait: { readonly worker: string; readonly for: string },
): boolean {
  const reached = new Set([wait.for]);
  for (const name of reached)
    for (const one of openWaits(collisions)) if (one.worker === name) reached.add(one.for);
  return reached.has(wait.worker);
}

/** Of these collisions the ones with files that a worker was not told of. */
export const unreportedTo = (collisions: Collisions, worker: string): Collisions =>
  collisions.filter(
    ({ a, b, files, reported }) => (a === worker || b === worker) && (reported[worker] ?? 0) < files.length,
  );

/** The other one of a pair. */
export const otherOf = ({ a, b }: Pick<Collision, "a" | "b">, worker: string): string =>
  a === worker ? b : a;

/** `agent-3 waits for agent-1`, `told both`: what was done about it, for the screen. Empty: nothing yet. */
export function formatOrder({ a, b, reported, order }: Collision): string {
  if (order?.kind === "wait")
    return order.ended === null
      ? `${order.worker} waits for ${order.for}`
      : order.ended === "merged"
        ? `${order.worker} waited for ${order.for} and has its work`
        : `${order.worker} no longer waits for ${order.for}`;
  const names = [a, b].filter((name) => reported[name] !== undefined);
  const known = names.length === 2 ? "told both" : names.length === 1 ? `told ${names[0]}` : "";
  return order?.kind === "continue" ? [known, "both continue"].filter(Boolean).join(", ") : known;
}

/** `waiting for agent-1 to finish src/api.ts`. */
export const formatWait = (wait: Pick<CollisionWait, "for" | "files">): string => {
  const [first = "its files", ...more] = wait.files.map(shownName);
  return `waiting for ${wait.for} to finish ${first}${more.length > 0 ? ` and ${more.length} more` : ""}`;
};
