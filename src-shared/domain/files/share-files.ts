/** Whether two lists of paths have one in common, or one that is a folder in the other. */
export function shareFiles(one: readonly string[], other: readonly string[]): boolean {
  const isIn = (path: string, paths: ReadonlySet<string>): boolean =>
    path.split("/").some((_, at, parts) => paths.has(parts.slice(0, at + 1).join("/")));
  const [ones, others] = [new Set(one), new Set(other)];
  return one.some((path) => isIn(path, others)) || other.some((path) => isIn(path, ones));
}
