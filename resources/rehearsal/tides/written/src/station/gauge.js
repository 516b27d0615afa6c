import { risingBy } from "./levels.js";

/** True when the last of two readings or more stands clearly above the one before. */
export function isRising(readings) {
  const [before, last] = readings.slice(-2);
  return last !== undefined && last.height - before.height >= risingBy;
}
