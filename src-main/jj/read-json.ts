import { jjFailure } from "./errors.ts";

/**
 * Reads what a template of ours made of a commit. jj goes on where a part of it cannot be had, and writes why in its place.
 * @throws JjError for what jj says there, such as `missing-object` in a partial clone
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const begin = text.indexOf("<Error: ");
    const end = text.indexOf(">", begin);
    if (begin < 0 || end < 0) throw error;
    const words = text.slice(begin + "<Error: ".length, end);
    throw jjFailure([], null, `Error: ${words}`);
  }
}
