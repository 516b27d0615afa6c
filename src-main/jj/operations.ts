import { setTimeout as pause } from "node:timers/promises";
import type { Operation } from "#shared/graph/change.ts";
import { JjError } from "./errors.ts";
import { newMark, readMarks, writeMarks } from "./marks.ts";
import { readHeads } from "./op-heads.ts";
import type { Jj } from "./process.ts";
import { pinned } from "./read-access.ts";
import type { RepositoryParts } from "./writer-parts.ts";

interface RawOperation {
  readonly id: string;
  readonly parents: readonly string[];
  readonly time: { readonly start: string; readonly end: string };
  readonly description: string;
  readonly is_snapshot: boolean;
  readonly workspace_name: string | null;
  readonly attributes: Readonly<Record<string, string>>;
}

type Cause = ReturnType<typeof readMarks>;

function operationOf(raw: RawOperation, cause: Cause): Operation {
  return {
    id: raw.id,
    parents: raw.parents,
    time: Date.parse(raw.time.end),
    description: raw.description,
    snapshot: raw.is_snapshot,
    workspace: raw.workspace_name ? raw.workspace_name : null,
    ...cause,
  };
}

/** jj's automatic merge of concurrent operations, which users need not see. */
const isReconcile = (raw: RawOperation): boolean => raw.description === "reconcile divergent operations";

/**
 * Reads the operation log, newest first, without the reconciling operations. (HOX-1.3)
 * @param head the operation to begin at
 * @param limit how many at most (default 50)
 * @param since stops before this operation; when it is not within `limit`, the newest `limit` are answered
 */
export async function readOperations(
  jj: Jj,
  root: string,
  head: string,
  { limit = 50, since }: { limit?: number; since?: string } = {},
): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  // `jj workspace add` makes two operations, and writes its command line down in the newer one alone.
  const causedBy = new Map<string, Cause>();
  await jj.lines(
    {
      args: [...pinned(root, head), "op", "log", "--no-graph", "-T", 'json(self) ++ "\\n"'],
      cwd: root,
    },
    (line) => {
      const raw = JSON.parse(line) as RawOperation;
      if (raw.id === since) return false;
      const { args = "" } = raw.attributes;
      const cause = (args === "" ? causedBy.get(raw.id) : undefined) ?? readMarks(args);
      for (const parent of raw.parents) causedBy.set(parent, cause);
      if (!isReconcile(raw)) operations.push(operationOf(raw, cause));
      return operations.length < limit;
    },
  );
  return operations;
}

interface CurrentOperation {
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
}: Pick<RepositoryParts, "jj" | "root" | "store" | "queue" | "ownWrites">): CurrentOperation {
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
