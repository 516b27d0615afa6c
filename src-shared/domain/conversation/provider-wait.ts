/** The pause of all requests, in one line for window and terminal. */
type Wait = Pick<ProviderWait, "until" | "reason"> & Partial<Pick<ProviderWait, "kind" | "since">>;

/**
 * @param clockTime a time (ms since 1970) as the reader writes it
 * @returns a sentence without its full stop; of a limit when it ends, of an outage since when and when it is tried again
 */
export function providerWaitLine(
  { kind, since, until, reason }: Wait,
  clockTime: (at: number) => string,
): string {
  if (kind === "outage")
    return [
      `${reason.replace(/\.$/u, "")}${since === undefined ? "" : ` (since ${clockTime(since)})`}`,
      ...(until === null ? [] : [`next attempt at ${clockTime(until)}`]),
    ].join("; ");
  return until === null
    ? "Provider limit reached: resume when quota is available again"
    : `Provider limit reached: resumes at ${clockTime(until)}`;
}

export interface ProviderWait {
  /** Its limit, or that it cannot be reached or fails. */
  readonly kind: "limit" | "outage";
  /** Since when, until when or to the next try, in ms since 1970; null: until the user resumes the run. */
  readonly since: number;
  readonly until: number | null;
  readonly reason: string;
  readonly remedy?: string;
}
