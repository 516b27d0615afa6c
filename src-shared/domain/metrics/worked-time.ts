/** Waiting for a provider's limit or outage. It does not count as work time. */
export const waitingForProvider = "waiting";

/**
 * Milliseconds at work, of what was measured by its part.
 *
 * @param msByPhase as `WorkerMetrics` has it
 */
export const workedMs = (msByPhase: Readonly<Record<string, number>>): number =>
  Object.entries(msByPhase).reduce((sum, [part, ms]) => (part === waitingForProvider ? sum : sum + ms), 0);
