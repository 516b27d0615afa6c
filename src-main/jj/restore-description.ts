import { onlyVisible } from "./only-visible.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { WriteOptions } from "./ports/graph-writer.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";

export interface RestoreDescriptionParts {
  readonly root: string;
  readonly queue: WriteQueue;
  readonly ownWrites: OwnWrites;
  readonly reader: Pick<Reader, "query">;
}

/**
 * Checks again after a description was replaced. If it was changed between our first check and jj's start,
 * that text would be lost, so it is written back. Call it from inside the queue; without concurrent writes it
 * starts no process.
 */
export function createRestoreDescription({ root, queue, ownWrites, reader }: RestoreDescriptionParts) {
  /**
   * @param change full change id
   * @param since the operation at which the earlier description was read
   * @param written the operation that wrote the new one
   * @returns the description that was written back, with the operation; null if there was none
   */
  return async function restoreDescription(
    change: string,
    since: string,
    written: string,
    options: WriteOptions,
  ): Promise<{ readonly description: string; readonly operation: string } | null> {
    const parentOperation = await ownWrites.standsOn(written);
    if (
      parentOperation === undefined ||
      !(await ownWrites.mayBeDescribedBetween(change, since, parentOperation))
    )
      return null;
    const at = async (operation: string) => (await reader.query(`present(${change})`, { operation }))[0];
    const [read, theirs] = [await at(since), await at(parentOperation)];
    if (!theirs || theirs.description === read?.description) return null;
    const { description } = theirs;
    const { operation } = await queue.write({
      args: ["--ignore-working-copy", "describe", "--stdin", "-r", onlyVisible(change)],
      folder: root,
      options,
      input: description,
      describes: [change],
    });
    return { description, operation };
  };
}
