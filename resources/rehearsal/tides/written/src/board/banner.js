import { levels } from "../contracts/tide.js";
import { metres } from "./lines.js";

const words = { calm: "Calm", rising: "Rising", high: "HIGH WATER" };

/** The line at the top: the newest reading in words that can be read from the quay. */
export function bannerOf(reading) {
  if (!levels.includes(reading.level)) throw new RangeError(`There is no level ${reading.level}.`);
  return `${words[reading.level]} ${metres(reading.height)}`;
}
