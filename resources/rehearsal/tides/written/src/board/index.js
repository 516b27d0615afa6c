import { bannerOf } from "./banner.js";
import { tableOf } from "./table.js";

/** The whole board: the banner, then all readings. */
export const boardOf = (judged, readings) => `${bannerOf(judged)}\n\n${tableOf(readings)}`;
