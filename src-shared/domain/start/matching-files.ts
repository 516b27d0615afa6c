/**
 * Files that somebody who types may mean: those whose name begins with it, then whose name holds it, then whose path does;
 * last those that have its letters in their order.
 *
 * @param files paths from the repository's root
 * @param most so many of them
 */
export function matchingFiles(files: readonly string[], typed: string, most: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const found = files.flatMap((path) => {
    const place = placeOf(path.toLowerCase(), wanted);
    return place === null ? [] : [{ path, place }];
  });
  return found
    .sort(
      (one, other) =>
        one.place - other.place || one.path.length - other.path.length || (one.path < other.path ? -1 : 1),
    )
    .slice(0, most)
    .map(({ path }) => path);
}

function placeOf(path: string, wanted: string): number | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of path) if (letter === wanted[at]) at += letter.length;
  return at >= wanted.length ? 3 : null;
}
