/** Conflicted files of one change, as jj records them. */
export interface ConflictedChange {
  readonly changeId: string;
  readonly files: readonly string[];
}

/** The operation between the two looks at the graph. */
export type OperationCause =
  /** A decision was inserted or edited below those that it binds. */
  { readonly kind: "mutation"; readonly changeId: string } | { readonly kind: "other" };

/** The operation that brought a conflict which is nobody's contradiction, and who made it. (HOX-5.1) */
export interface ConflictCause {
  /** Full id of jj's operation. */
  readonly operation: string;
  /** jj's own words for it: "rebase commit …". */
  readonly description: string;
  /** An agent or orchestrator, `hox` for what a person did in the app, `terminal` for anybody else. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A conflict that the operation brought, or let grow. */
export type NewConflict =
  /** The agent contradicts a decision: it corrects its own work. */
  | {
      readonly kind: "mutation";
      readonly changeId: string;
      readonly files: readonly string[];
      readonly mutation: string;
    }
  /** Two pieces of work touch the same lines: the orchestrator or the integration agent resolves it. */
  | { readonly kind: "merge"; readonly changeId: string; readonly files: readonly string[] };

/**
 * Tells mutation conflicts from merge conflicts by what was in conflict before an operation and after it.
 * (design section 4)
 * @returns one entry for each change with files that were not in conflict before, with those files only.
 *   The mutation itself is never in a mutation conflict: where it conflicts, the decision does not fit its own
 *   base, and that is a merge conflict.
 */
export function classifyConflicts(
  before: readonly ConflictedChange[],
  after: readonly ConflictedChange[],
  cause: OperationCause,
): readonly NewConflict[] {
  const known = new Map(before.map((change) => [change.changeId, new Set(change.files)]));
  return after.flatMap(({ changeId, files }): NewConflict[] => {
    const fresh = files.filter((file) => !known.get(changeId)?.has(file));
    if (fresh.length === 0) return [];
    return cause.kind === "mutation" && cause.changeId !== changeId
      ? [{ kind: "mutation", changeId, files: fresh, mutation: cause.changeId }]
      : [{ kind: "merge", changeId, files: fresh }];
  });
}

/** Changes whose conflicts are gone, in the order of `before`. */
export function resolvedConflicts(
  before: readonly ConflictedChange[],
  after: readonly ConflictedChange[],
): readonly string[] {
  const still = new Set(after.filter((change) => change.files.length > 0).map((change) => change.changeId));
  return before.filter((change) => !still.has(change.changeId)).map((change) => change.changeId);
}
