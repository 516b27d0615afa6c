/** Kept for names that nobody has (RFC 2606): what stands there until somebody publishes Hox under a name of theirs. */
const nobodys = /\.invalid\b/u;

/** What a Debian package must say of its origin, and the variable that says it in place of `package.json`. */
const fields = /** @type {const} */ ([
  ["homepage", "HOX_HOMEPAGE"],
  ["author", "HOX_AUTHOR"],
]);

/**
 * What packages say of where they come from, and whom to write to.
 * @param {{ readonly homepage?: unknown, readonly author?: unknown }} metadata `package.json`
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ args: string[], warning: string | null }} arguments for electron-builder, and one line where nobody said it
 */
export function packageMetadata(metadata, env) {
  const args = [];
  const missing = [];
  for (const [field, variable] of fields) {
    const named = env[variable]?.trim();
    if (named) args.push(`-c.extraMetadata.${field}=${named}`);
    if (nobodys.test(named || String(metadata[field] ?? ".invalid"))) missing.push({ field, variable });
  }
  const names = missing.map(({ field }) => field).join(" and ");
  const variables = missing.map(({ variable }) => variable).join(" and ");
  return {
    args,
    warning:
      missing.length === 0
        ? null
        : `the packages use a placeholder for ${names}: set ${variables}, or ${names} in package.json, before you publish them`,
  };
}
