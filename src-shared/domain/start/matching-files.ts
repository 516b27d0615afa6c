/**
 * Files that match typed text: names that begin with it, then names that contain it, then paths that do, then
 * those with its letters in order.
 *
 * @param files paths from the repository's root
 * @param most limit of the result
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
