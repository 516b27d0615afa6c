/** jj's expressions for the changes of runs. It finds the line anywhere, so rows are looked at once more. */

/** Of all runs. */
export const ofRuns = 'description(regex:"(?m)^Hox-Run: ")';

/** Of one run. */
export const ofRun = (run: string): string => `description(regex:"(?m)^Hox-Run: ${run}$")`;

/** Of these kinds, of whatever run. */
export const ofKinds = (...kinds: readonly string[]): string =>
  `description(regex:"(?m)^Hox-Kind: (${kinds.join("|")})$")`;
