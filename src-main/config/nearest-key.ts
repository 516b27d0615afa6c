import { editDistance } from "#shared/domain/text/nearest-word.ts";
import { configKeys } from "./settings-by-key.ts";

/** The known key that is fewest letters away, if it is near enough to be meant; its last part may be what was mistyped. */
export function nearestKey(key: string): string | null {
  const last = key.split(".").at(-1) ?? key;
  const scored = configKeys
    .map((known) => ({
      known,
      distance: Math.min(editDistance(key, known), editDistance(last, known.split(".").at(-1) ?? known)),
    }))
    .sort((a, b) => a.distance - b.distance);
  const best = scored[0];
  return best && best.distance <= Math.max(2, Math.floor(last.length / 4)) ? best.known : null;
}
