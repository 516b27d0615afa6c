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
 * Makes the second look after a description was written that was made from an earlier one. Somebody may have told the
 * change anew after the first look and before jj began: their words would be gone, so they are written back. To be called
 * from inside the queue; where nobody wrote in between it starts no process.
 */
export function createRestoreDescription({ root, queue, ownWrites, reader }: RestoreDescriptionParts) {
  /**
   * @param change full change id
   * @param since the operation at which the earlier description was read
   * @param written the operation that wrote the new one
   * @returns the words that stand there again, with the operation that put them back; null when there were none
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
