import type { AnyEvent } from "../any-event.ts";

/**
 * The user restores the whole repository to a moment before the run, which ends the run. jj's operation has
 * `request` in it: if the journal has no end of it, the operation log tells whether it was done.
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

/** The moment to which the repository is being restored, or was when the run ended by that. */
export type Restoring = Omit<Extract<RestoreEvent, { kind: "RestoreBegun" }>, "kind"> | null;

/** Total: any other event leaves it as it is. */
export function reduceRestoring(before: Restoring, given: RestoreEvent | AnyEvent): Restoring {
  const event = given as RestoreEvent;
  if (event.kind === "RestoreDropped") return null;
  if (event.kind !== "RestoreBegun") return before;
  const { request, operation, at } = event;
  return { request, operation, at };
}
