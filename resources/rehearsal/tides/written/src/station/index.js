import { isHigh } from "./alarm.js";
import { isRising } from "./gauge.js";

/** The newest reading with its level, or null while there is none. */
export function judge(readings) {
  const last = readings.at(-1);
  if (last === undefined) return null;
  return { ...last, level: isHigh(last) ? "high" : isRising(readings) ? "rising" : "calm" };
}
