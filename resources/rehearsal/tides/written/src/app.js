import { boardOf } from "./board/index.js";
import { judge } from "./station/index.js";

/** What the board shows of the readings that are kept. */
export function show(readings) {
  const judged = judge(readings.all());
  return judged === null ? "No reading yet." : boardOf(judged, readings.all());
}
