import type { RunReader } from "../ports.ts";

/** Every change of a run: jj finds the line anywhere, so whoever reads the rows looks at their metadata too. */
export const runRevset = (run: RunReader): string => `description(regex:"(?m)^Hox-Run: ${run.id}$")`;
