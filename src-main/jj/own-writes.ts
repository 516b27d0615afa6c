import type { Store } from "./op-heads.ts";
import { operationHolds, readHeads } from "./op-heads.ts";

interface OwnWrite {
  readonly operation: string;
  /** Changes whose descriptions it set. */
  readonly described: readonly string[];
}

/**
 * The newest writes of this process whose effect on descriptions is known. With many agents somebody always writes
 * between two steps of one of them; this tells, by a few small reads of files, that it was none of what matters.
 */
export interface OwnWrites {
  note(write: OwnWrite): void;
  /**
   * Whether a change may have another description than at an operation: somebody else wrote since, or one of ours set
   * it. False only when every operation since is one of ours and none of them did.
   * @param change full change id
   */
  mayBeDescribedSince(change: string, operation: string): Promise<boolean>;
}

const remembered = 500;

/** Makes the memory of the writes of one queue. */
export function createOwnWrites(store: Store): OwnWrites {
  const writes: OwnWrite[] = [];
  return {
    note(write) {
      writes.push(write);
      if (writes.length > 2 * remembered) writes.splice(0, remembered);
    },
    async mayBeDescribedSince(change, operation) {
      const heads = await readHeads(store);
      if (heads.length !== 1) return true;
      if (heads[0] === operation) return false;
      const since = Buffer.from(operation, "hex");
      // From the newest back to the operation, as long as each stands on the one before and all of them are ours.
      for (let at = writes.length - 1; at >= 0; at--) {
        const write = writes[at];
        if (!write || write.described.includes(change)) return true;
        if (at === writes.length - 1 && write.operation !== heads[0]) return true;
        if (await operationHolds(store, write.operation, since)) return false;
        const before = writes[at - 1];
        if (!before || !(await operationHolds(store, write.operation, Buffer.from(before.operation, "hex"))))
          return true;
      }
      return true;
    },
  };
}
