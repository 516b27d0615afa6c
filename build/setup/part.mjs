import { statSync } from "node:fs";

/**
 * One program Hox needs, as `recorded-parts.mjs` writes it to the cache.
 * @typedef {object} Part
 * @property {boolean} found
 * @property {string} [path]
 * @property {string} [version]
 * @property {string} [note] what is limited although it was found, or why it was not
 * @property {string} [remedy] what a user can do about it
 * @property {string} [stamp] the file as it was looked at; another stamp means look again
 * @property {string} [surroundings] the environment in which this was decided
 * @property {number} [triedAt] when fetching failed, in milliseconds; not tried again for a while
 */

/**
 * What finding a part may depend on.
 * @typedef {object} Task
 * @property {string} cache Hox's cache folder
 * @property {Part | undefined} previous
 * @property {boolean} mayFetch false while an earlier failure is fresh
 * @property {(line: string) => void} say progress, for people
 */

/** Says whether the file is still the one that was looked at. @param {string} path */
export function stampOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.size}-${Math.round(stat.mtimeMs)}` : undefined;
}

/**
 * @param {string} path
 * @param {{ version?: string | undefined, note?: string | undefined, remedy?: string | undefined }} [more]
 * @returns {Part}
 */
export function found(path, { version, note, remedy } = {}) {
  const stamp = stampOf(path);
  return {
    found: true,
    path,
    ...(version ? { version } : {}),
    ...(note ? { note } : {}),
    ...(remedy ? { remedy } : {}),
    ...(stamp ? { stamp } : {}),
  };
}

/** @param {string} note @param {string} remedy @returns {Part} */
export const missing = (note, remedy) => ({ found: false, note, remedy });

/**
 * Compares `1.2.3` with `1.10`, part by part; anything after the digits does not count.
 * @param {string | undefined} version
 * @param {string} least
 */
export function atLeast(version, least) {
  const digits = /** @param {string} text */ (text) =>
    text.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const have = digits(version ?? "0");
  for (const [index, wanted] of digits(least).entries()) {
    const difference = (have[index] ?? 0) - wanted;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
