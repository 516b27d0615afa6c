/** Which protected paths are mounted read-only, where there are more than a sandbox can mount. */

/** A protected path as far as mounting it goes. */
interface Mountable {
  /** Relative to the workspace. */
  readonly path: string;
  readonly link: Buffer | null;
  /** Of a regular file; absent: of anything else. */
  readonly bytes?: number;
}

/** What bubblewrap needs for a mount grows with the square of how many there are, and past 3,000 it takes none. */
const maxMounts = 400;
/** Larger ones are mounted first: what is not has to be held in memory while a command runs. */
const small = 100_000;

/** Every folder on the way to a protected path, outermost first. Each is a mount too, so that it cannot be renamed. */
export function foldersAbove(guarded: readonly { readonly path: string }[]): readonly string[] {
  const folders = guarded.flatMap(({ path }) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  });
  return [...new Set(folders)].sort((a, b) => a.length - b.length);
}

/**
 * The files that are not mounted: they are put back afterwards instead. Folders are always mounted.
 * @returns their paths; none where all can be mounted
 */
export function filesToPutBack(guarded: readonly Mountable[], most: number = maxMounts): ReadonlySet<string> {
  const mounts = guarded.filter(({ link }) => link === null);
  if (mounts.length + foldersAbove(mounts).length <= most) return new Set();
  const folders = mounts.filter(({ bytes }) => bytes === undefined);
  const above = new Set(foldersAbove(folders));
  let count = folders.length + above.size;
  const putBack = new Set<string>();
  for (const file of mounts.filter(({ bytes }) => bytes !== undefined).sort(mountedFirst)) {
    const more = foldersAbove([file]).filter((folder) => !above.has(folder));
    if (count + 1 + more.length > most) putBack.add(file.path);
    else {
      count += 1 + more.length;
      for (const folder of more) above.add(folder);
    }
  }
  return putBack;
}

/** Large ones, then those near the root, which steer more than what is deeper. */
const mountedFirst = (one: Mountable, other: Mountable): number =>
  Number((other.bytes ?? 0) > small) - Number((one.bytes ?? 0) > small) ||
  one.path.split("/").length - other.path.split("/").length ||
  (one.path < other.path ? -1 : 1);
