/**
 * Any event of a run, as a slice's reducer reads it: it narrows it to its own kinds and ignores the others.
 * (`src-shared/run/events.ts` has them all; the domain cannot import it.)
 */
export interface AnyEvent {
  readonly kind: string;
}
