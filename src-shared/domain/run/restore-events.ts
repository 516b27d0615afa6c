import type { AnyEvent } from "../any-event.ts";

/**
 * A person takes the whole repository back to a moment before what the run did, and the run ends with that. `request` stands
 * in jj's operation once that is done: whoever finds no end of it in the journal looks there.
 */
export type RestoreEvent =
  | {
      readonly kind: "RestoreBegun";
      readonly request: string;
      readonly operation: string;
      /** ms since 1970. */
      readonly at: number;
    }
  | { readonly kind: "RestoreDropped" };

/** The moment to which the repository is taken back, or was when the run ended by that. */
export type Restoring = Omit<Extract<RestoreEvent, { kind: "RestoreBegun" }>, "kind"> | null;

/** Total: any other event leaves it as it is. */
export function reduceRestoring(before: Restoring, given: RestoreEvent | AnyEvent): Restoring {
  const event = given as RestoreEvent;
  if (event.kind === "RestoreDropped") return null;
  if (event.kind !== "RestoreBegun") return before;
  const { request, operation, at } = event;
  return { request, operation, at };
}
