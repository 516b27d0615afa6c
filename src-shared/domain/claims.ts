/** Claims on files: paths, folders that end in `/`, and globs with `*` and `**`. */

/**
 * Whether every file that a claim names is among those that another names. May answer no where two globs would need a
 * closer look, never yes where a file is left out.
 */
export function claimCovers(wide: string, narrow: string): boolean {
  const [outer, inner] = [asGlob(wide), asGlob(narrow)];
  if (outer === inner) return true;
  if (!inner.includes("*")) return globExpression(outer).test(inner);
  // A glob lies inside a whole folder when all of it begins there.
  if (!outer.endsWith("**")) return false;
  const folder = outer.slice(0, -2);
  return !folder.includes("*") && inner.slice(0, inner.indexOf("*")).startsWith(folder);
}

/**
 * Claims that no file meets: what was named and is not there.
 *
 * @param files all paths of the repository
 */
export const claimsWithoutFile = (claims: readonly string[], files: readonly string[]): readonly string[] =>
  claims.filter((claim) => {
    const expression = globExpression(asGlob(claim));
    return !files.some((file) => expression.test(file));
  });

/** A claim as a glob: a folder stands for all that is in it. */
export const asGlob = (claim: string): string =>
  (claim.endsWith("/") ? `${claim}**` : claim).replace(/^\.\//u, "");

/** A glob as an expression that a path fits or not. */
export const globExpression = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .split(/(\*\*\/?|\*)/u)
      .map((part) =>
        part === "**/"
          ? "(?:.*/)?"
          : part === "**"
            ? ".*"
            : part === "*"
              ? "[^/]*"
              : part.replace(/[.+?^${}()|[\]\\]/gu, "\\$&"),
      )
      .join("")}$`,
    "u",
  );
