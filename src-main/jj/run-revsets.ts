/** jj's expressions for the changes of runs. It finds the line anywhere, so rows are looked at once more. */

/** Of all runs. */
export const ofRuns = 'description(regex:"(?m)^Hox-Run: ")';

/** Of one run. */
export const ofRun = (run: string): string => `description(regex:"(?m)^Hox-Run: ${run}$")`;

/** What people label in a terminal as a decision or a message, and that belongs to no run. */
export const labelledByHand = `mutable() & description(regex:"(?m)^Hox-(Msg-To: |Kind: (mutation|message)$)") ~ ${ofRuns}`;

/** Of these kinds, of whatever run. */
export const ofKinds = (...kinds: readonly string[]): string =>
  `description(regex:"(?m)^Hox-Kind: (${kinds.join("|")})$")`;
