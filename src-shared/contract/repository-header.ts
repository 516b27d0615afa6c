/**
 * The header with the repository of a request: the one on screen when the user acted. Like `run-header.ts`,
 * it makes sure that a command reaches the repository that the user saw, whatever the window shows later.
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
