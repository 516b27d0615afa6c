import { Folder, isAbsent } from "./folder.ts";

/**
 * Opens the parent folder of a path one name at a time, so that no link is followed.
 *
 * @param root a folder that only trusted users can replace
 * @param path below it, with `/`
 * @returns the work's result; null if a folder in the path is missing or not a folder
 */
export async function inParent<Answer>(
  root: string,
  path: string,
  work: (parent: Folder, name: string, above: readonly Folder[]) => Promise<Answer>,
): Promise<Answer | null> {
  const above = path.split("/");
  const name = above.pop() ?? "";
  const opened = [await Folder.open(root)];
  try {
    for (const part of above) {
      const next = await (opened.at(-1) as Folder).folder(part).catch((error: unknown) => {
        if (isAbsent(error) || (error as NodeJS.ErrnoException).code === "ELOOP") return null;
        throw error;
      });
      if (next === null) return null;
      opened.push(next);
    }
    return await work(opened.at(-1) as Folder, name, opened);
  } finally {
    await Promise.all(opened.map((folder) => folder.close()));
  }
}
