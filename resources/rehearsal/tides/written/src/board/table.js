import { clock, metres } from "./lines.js";

/** One line for each reading, the newest last. */
export const tableOf = (readings) => readings.map(({ at, height }) => `${clock(at)}  ${metres(height)}`).join("\n");
