import { setTimeout as pause } from "node:timers/promises";
import { JjError } from "./errors.ts";
import { newMark, writeMarks } from "./marks.ts";
import { readHeads, type Store } from "./op-heads.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";

export interface CurrentOperation {
  /** The one current operation; reconciles several heads through the writing queue first. */
  current(): Promise<string>;
  /** The same, to be called from inside the queue. */
  settle(): Promise<string>;
}

/** Of 5 ms: after that, use the current operation. */
const maxPauses = 40;
const maxAttempts = 20;

/** Makes what answers for one repository. */
export function createCurrentOperation({
  jj,
  root,
  store,
  queue,
  ownWrites,
}: {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly ownWrites: OwnWrites;
}): CurrentOperation {
  /** The one head, after merging several as any jj command would. */
  async function settle(): Promise<string> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const heads = await readHeads(store);
      if (heads.length === 1 && heads[0]) return heads[0];
      // A command that is just ending shows two heads for a moment.
      if (attempt < 2) await pause(5);
      else
        try {
          await jj.run({
            head: writeMarks(newMark()),
            args: ["-R", root, "--ignore-working-copy", "--quiet", "log", "-r", "none()"],
            cwd: root,
          });
        } catch (error) {
          // Somebody else's command merges the same heads at the same moment.
          if (!(error instanceof JjError) || error.kind !== "concurrent") throw error;
          await pause(100);
        }
    }
    throw new JjError({
      kind: "concurrent",
      message: `The repository ${root} keeps changing: other commands are running.`,
    });
  }

  return {
    settle,
    async current() {
      for (let attempt = 0; ; attempt++) {
        const [head, ...others] = await readHeads(store);
        if (head === undefined || others.length > 0) return queue.exclusive(settle);
        if (attempt === maxPauses || !(await ownWrites.mayBeHalf(head))) return head;
        await pause(5);
      }
    },
  };
}
