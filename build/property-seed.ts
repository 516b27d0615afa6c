import { randomInt } from "node:crypto";
import fc from "fast-check";

/**
 * Property tests draw the same cases each time, so that a red run is a change's doing and comes again. `HOX_SEED`
 * explores: a number, or `random`; what fails names its seed.
 */
function seedOf(wanted: string | undefined): number {
  if (wanted === undefined || wanted === "") return 20_260;
  if (wanted === "random") return randomInt(2 ** 31);
  const seed = Number(wanted);
  if (Number.isSafeInteger(seed)) return seed;
  throw new Error(`HOX_SEED is "${wanted}". Set it to a whole number or to "random".`);
}

fc.configureGlobal({ seed: seedOf(process.env.HOX_SEED) });
