/** Who holds a place on another machine, and for how long. Times are in milliseconds. */

export interface LeaseTimes {
  /** How often the host asks a machine whether it is there. */
  readonly heartbeatMs: number;
  /** Without an answer for this long, a machine gets nothing new. */
  readonly suspectMs: number;
  /** Without an answer for this long, its places are granted again. */
  readonly goneMs: number;
  /** How much earlier than the host the machine ends its own lease. */
  readonly marginMs: number;
}

export const leaseTimes: LeaseTimes = {
  heartbeatMs: 5_000,
  suspectMs: 15_000,
  goneMs: 45_000,
  marginMs: 10_000,
};

/** A place as it was granted last. */
export interface Grant {
  /** Grows by one with every grant, so that whatever an earlier holder sends is recognised. */
  readonly epoch: number;
  /** Who holds it; null: the host itself. */
  readonly machine: string | null;
  readonly expiresAt: number;
  /** The files that were accepted last of this grant, as a tree; null: none yet. */
  readonly tree: string | null;
}

/** What a machine says of itself with everything that it sends. */
export interface Claim {
  readonly machine: string;
  readonly epoch: number;
}

export type Contact = "connected" | "suspect" | "gone";

/** Whether a machine is there. @param heardAt when it answered last @param now of the same clock */
export function contactOf(heardAt: number, now: number, times: LeaseTimes = leaseTimes): Contact {
  const silentMs = now - heardAt;
  if (silentMs >= times.goneMs) return "gone";
  return silentMs >= times.suspectMs ? "suspect" : "connected";
}

/**
 * The next grant of a place. It is granted to a machine or, without one, to the host, whose lease does not end.
 * @param before null: it was never granted
 */
export const grantNext = (
  before: Grant | null,
  machine: string | null,
  now: number,
  times: LeaseTimes = leaseTimes,
): Grant => ({
  epoch: (before?.epoch ?? 0) + 1,
  machine,
  expiresAt: machine === null ? Number.MAX_SAFE_INTEGER : now + times.goneMs,
  // What an earlier holder had says nothing of what this one has.
  tree: null,
});

/** The grant after its holder answered a heartbeat. */
export const renewed = (grant: Grant, now: number, times: LeaseTimes = leaseTimes): Grant => ({
  ...grant,
  expiresAt: Math.max(grant.expiresAt, now + times.goneMs),
});

/** Why something that arrives for a place does not count, in a few words; null: it counts. */
export function claimRefusal(grant: Grant | null, claim: Claim, now: number): string | null {
  if (grant === null) return "this place was never granted";
  if (claim.epoch < grant.epoch)
    return `it was granted again since (epoch ${grant.epoch}, this is of epoch ${claim.epoch})`;
  if (claim.epoch > grant.epoch) return `epoch ${claim.epoch} was never granted`;
  if (claim.machine !== grant.machine) return "another machine holds this place";
  return now >= grant.expiresAt ? "its lease has ended" : null;
}

/**
 * When a machine has to stop its own work, by its own clock. The host counts from when it heard the answer, which is never
 * earlier than when the answer was sent, so that the machine always ends first.
 * @param sentAt when the machine sent the last answer that the host has confirmed
 */
export const freezesAt = (sentAt: number, times: LeaseTimes = leaseTimes): number =>
  sentAt + times.goneMs - times.marginMs;

/** What a machine offers, as the host chooses among machines. */
export interface Offer {
  readonly machine: string;
  readonly labels: readonly string[];
  readonly capacity: number;
  /** Places that it holds. */
  readonly held: number;
  readonly contact: Contact;
  /** Takes nothing new. */
  readonly isDraining: boolean;
  /** Whether its sandbox holds commands in. */
  readonly isSandboxed: boolean;
}

/** The machine for a place: one with the label and room, the least busy one first; null: there is none. */
export function chooseMachine(offers: readonly Offer[], label: string): string | null {
  const [first] = offers
    .filter(
      (one) =>
        one.contact === "connected" &&
        !one.isDraining &&
        one.isSandboxed &&
        one.held < one.capacity &&
        one.labels.includes(label),
    )
    .toSorted((one, other) => share(one) - share(other) || (one.machine < other.machine ? -1 : 1));
  return first?.machine ?? null;
}

const share = ({ held, capacity }: Offer): number => held / capacity;
