/**
 * Any event of a run, as the reducer of one slice reads it: it narrows the event to the kinds of its own, and every other kind
 * changes nothing. (`src-shared/run/events.ts` has them all; the domain cannot import it.)
 */
export interface AnyEvent {
  readonly kind: string;
}
