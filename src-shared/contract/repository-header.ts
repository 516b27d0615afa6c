/**
 * The header of a request that says which repository it is for: the one that stood on screen when the person asked. An
 * address as `run-header.ts` is, so that no command reaches another repository than the one that was looked at, whatever
 * the window shows by the time it is carried out.
 */
export const repositoryHeader = "x-hox-repository";

/** A path as the header's value: headers hold ASCII. */
export const repositoryHeaderOf = (path: string): string => encodeURIComponent(path);

/**
 * The path that a request names.
 * @returns null where it names none, or nothing that can be read
 */
export function repositoryNamedBy(value: string | null | undefined): string | null {
  if (!value) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}
