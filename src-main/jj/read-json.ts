import { jjFailure } from "./errors.ts";

/**
 * Parses a template's output for a commit. jj continues when a part is unavailable, and writes the error in
 * its place.
 * @throws JjError for such an error, such as `missing-object` in a partial clone
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
