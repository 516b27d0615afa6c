/** Downtime: no host was running, or the provider was unavailable. */
import type { AnyEvent } from "../any-event.ts";

export type DowntimeEvent =
  /** A host is running again. `leftAt`: the last event before, in ms since 1970; the downtime began there. */
  | { readonly kind: "HostReturned"; readonly leftAt: number }
  /** The provider's limit was reached, or it does not answer. Short waits are not recorded. */
  | { readonly kind: "ProviderWaitBegan" }
  | { readonly kind: "ProviderWaitEnded" };

export interface Downtime {
  /** When the run was left last, in ms since 1970; null: a host was always there. */
  readonly leftAt: number | null;
  /** Whether all of its agents wait for the provider. */
  readonly isProviderAwaited: boolean;
}

export const noDowntime: Downtime = { leftAt: null, isProviderAwaited: false };

/** Whoever comes back sooner was never away. */
export const minDowntimeMs = 60_000;

/** Adds an event. Total: any other, and one that says nothing new, leaves it as it is. */
export function reduceDowntime(before: Downtime, given: DowntimeEvent | AnyEvent): Downtime {
  const event = given as DowntimeEvent;
  switch (event.kind) {
    case "HostReturned":
      return before.leftAt === event.leftAt ? before : { ...before, leftAt: event.leftAt };
    case "ProviderWaitBegan":
      return before.isProviderAwaited ? before : { ...before, isProviderAwaited: true };
    case "ProviderWaitEnded":
      return before.isProviderAwaited ? { ...before, isProviderAwaited: false } : before;
    default:
      return before;
  }
}
