import { GlobTooLarge, starMatcher } from "./glob.ts";

/** Claims on files: paths, folders that end in `/`, and globs with `*` and `**`. */

/**
 * Whether every file that a claim names is among those that another names. May answer no where two globs would need a
 * closer look, never yes where a file is left out.
 */
export function claimCovers(wide: string, narrow: string): boolean {
  const [outer, inner] = [asGlob(wide), asGlob(narrow)];
  if (outer === inner) return true;
  if (!inner.includes("*")) return fitsGlob(outer)(inner);
  // A glob is inside a whole folder if all of it begins there.
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
    const fits = fitsGlob(asGlob(claim));
    return !files.some((file) => fits(file));
  });

/** A claim as a glob: a folder matches all its contents. */
export const asGlob = (claim: string): string =>
  (claim.endsWith("/") ? `${claim}**` : claim).replace(/^\.\//u, "");

/** Whether a path fits a glob. */
export type Fits = (path: string) => boolean;

/**
 * Models and projects write these, so a match must be fast, and one that is too large matches no file instead
 * of failing the plan.
 */
export function fitsGlob(glob: string): Fits {
  try {
    return starMatcher(glob);
  } catch (error) {
    if (error instanceof GlobTooLarge) return () => false;
    throw error;
  }
}
