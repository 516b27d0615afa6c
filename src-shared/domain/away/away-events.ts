/** Times in which no host was there for a run: the app was closed, or the machine was off. */

export interface AwayEvent {
  readonly kind: "HostReturned";
  /** When something last happened in the run, in ms since 1970; nobody was there from then until this event. */
  readonly leftAt: number;
}

/** Whoever comes back sooner was never away. */
export const leastAwayMs = 60_000;

/**
 * When a run was left last.
 *
 * @param before ms since 1970; null: a host was always there
 * @returns the same where the event says nothing new
 */
export const reduceLeftAt = (_before: number | null, { leftAt }: AwayEvent): number => leftAt;
