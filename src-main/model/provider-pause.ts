/** What all requests wait for, after a rate limit or in an outage. */
export interface ProviderPause {
  readonly kind: "limit" | "outage";
  /** Milliseconds since 1970. */
  readonly since: number;
  /** When it ends or the next try is; null when it waits for the user. */
  readonly until: number | null;
  readonly reason: string;
  readonly remedy: string;
}

/** `until` is what is shown; `due` counts on the clock that never jumps. */
export interface TimedPause extends ProviderPause {
  readonly until: number;
  readonly due: number;
  /** Tries that failed, in an outage. */
  readonly failed: number;
  /** Whether a request is testing the connection. */
  readonly isTried: boolean;
}

/** Between two tries in an outage. */
const maxWaitMs = 60_000;

interface Time {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** On the clock that never jumps. */
  readonly monotonic: number;
}

/** No request starts before `at`, milliseconds since 1970; null if the current pause is longer already. */
export function pauseForLimit(
  before: TimedPause | null,
  { at, reason, remedy }: { readonly at: number; readonly reason: string; readonly remedy: string },
  { now, monotonic }: Time,
): TimedPause | null {
  const due = monotonic + at - now;
  if (before?.kind === "limit" && before.due >= due) return null;
  const since = before?.kind === "limit" ? before.since : now;
  return { kind: "limit", since, until: at, due, reason, remedy, failed: 0, isTried: false };
}

export interface Outage {
  readonly reason: string;
  readonly remedy: string;
  readonly retryAfterMs?: number | null;
}

/** The wait for the next try, twice as long with each that failed; null where this is known already. */
export function pauseForOutage(
  before: TimedPause | null,
  { reason, remedy, retryAfterMs }: Outage,
  firstTryMs: number,
  { now, monotonic }: Time,
): TimedPause | null {
  // Others that were under way find out the same thing.
  if (before?.kind === "limit" || (before && !before.isTried)) return null;
  const failed = before ? before.failed + 1 : 0;
  const wait = Math.max(retryAfterMs ?? 0, Math.min(maxWaitMs, firstTryMs * 2 ** Math.min(failed, 20)));
  return {
    kind: "outage",
    since: before?.since ?? now,
    until: now + wait,
    due: monotonic + wait,
    reason,
    remedy,
    failed,
    isTried: false,
  };
}

/** For display. A rate limit's pause without an end waits for the user; an outage is always retried. */
export const shownPause = (
  { kind, since, until, reason, remedy }: TimedPause,
  resumesByItself: boolean,
): ProviderPause => ({
  kind,
  since,
  until: kind === "outage" || resumesByItself ? until : null,
  reason,
  remedy,
});
