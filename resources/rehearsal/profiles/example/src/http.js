/**
 * @typedef {object} Request
 * @property {string} method
 * @property {string} path
 * @property {unknown} [body]
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {unknown} body
 *
 * @typedef {object} Route
 * @property {string} method
 * @property {string} path  Parts that begin with a colon are parameters.
 * @property {(params: Record<string, string>, body: any) => Answer | Promise<Answer>} handle
 */

/** @returns {Answer} */
export const answer = (status, body) => ({ status, body });

/** An error that a person can read and a program can tell apart by its code. @returns {Answer} */
export const problem = (status, code, message) => ({ status, body: { error: { code, message } } });

/**
 * The parameters of a path, or null when it does not fit the pattern.
 * @returns {Record<string, string> | null}
 */
export function matchPath(pattern, path) {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const params = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(given[index]);
    else if (part !== given[index]) return null;
  }
  return params;
}
