import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const dayMs = 24 * 60 * 60 * 1000;
/** A log is for looking up what happened lately; the record keeps head and tail of every output for good. */
const keptDays = 14;
const keptBytes = 1_000_000_000;

/**
 * Removes logs of long outputs that are older than 14 days, and then the oldest until at most a gigabyte is
 * left. Safe while commands write: theirs are the newest.
 *
 * @param now ms since 1970
 * @returns how many were removed
 */
export async function removeOldLogs(folder: string, now: number): Promise<number> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const logs = await Promise.all(
    names
      .filter((name) => name.endsWith(".log"))
      .map(async (name) => {
        const path = join(folder, name);
        const { mtimeMs, size } = await stat(path);
        return { path, mtimeMs, size };
      }),
  );
  let bytes = 0;
  let removed = 0;
  for (const { path, mtimeMs, size } of logs.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    if (bytes <= keptBytes && now - mtimeMs <= keptDays * dayMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}
