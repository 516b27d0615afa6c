import type { Operation } from "#shared/graph/change.ts";
import { readMarks } from "./marks.ts";
import type { Jj } from "./process.ts";
import { pinned } from "./read-access.ts";

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
