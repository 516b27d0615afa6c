import type { ChangeDetails, RebasePreview } from "#shared/contract/commands/graph.ts";
import { metadataProblems } from "#shared/domain/graph-words/trailers.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { HostState } from "./host-state.ts";
import { Refusal } from "./refusal.ts";

/** A diff beyond this is cut: no person reads it, and a window must not choke on it. */
const longestDiff = 2_000_000;

export async function changeDetails(state: HostState, commitId: string): Promise<ChangeDetails> {
  const { repository, graph } = state.opened();
  const change = graph().find(commitId) ?? (await repository.query(commitId, { limit: 1 }))[0];
  if (!change)
    throw new Refusal(
      `There is no commit ${commitId}.`,
      "It may have been rewritten: choose it again in the graph.",
    );
  const [files, conflicts] = await Promise.all([
    repository.changedFiles(commitId),
    change.conflict ? repository.conflictedFiles(commitId) : [],
  ]);
  return {
    change,
    files,
    conflicts,
    problems: metadataProblems(change.description).map(
      ({ key, value, reason }) => `${key}: ${value} (${reason})`,
    ),
  };
}

export async function changeDiff(
  state: HostState,
  commitId: string,
  paths: readonly string[] | undefined,
): Promise<{ diff: string; truncated: boolean }> {
  const diff = await state.opened().repository.diff({
    commit: commitId,
    limit: longestDiff,
    ...(paths ? { paths } : {}),
  });
  if (diff.length <= longestDiff) return { diff, truncated: false };
  const end = diff.lastIndexOf("\n", longestDiff);
  return { diff: startOf(diff, end > 0 ? end + 1 : longestDiff), truncated: true };
}

/** What the graph would be after the drop, computed by jj and never published. */
export async function previewRebase(
  state: HostState,
  changeId: string,
  onto: string,
): Promise<RebasePreview> {
  const open = state.opened();
  const [repository, graph] = [open.repository, open.graph()];
  const from = await repository.currentOperation();
  const { operation } = await repository.dryRun({ kind: "rebase", source: changeId, onto: [onto] });
  const delta = await repository.readDelta(from, operation);
  const before = new Map(
    delta.removed.map((commit) => graph.find(commit)).flatMap((old) => (old ? [[old.changeId, old]] : [])),
  );
  const hadConflict = (id: string): boolean => before.get(id)?.conflict ?? false;
  return {
    operation,
    changes: delta.added,
    newConflicts: delta.added
      .filter((one) => one.conflict && !hadConflict(one.changeId))
      .map((one) => one.changeId),
    resolvedConflicts: delta.added
      .filter((one) => !one.conflict && hadConflict(one.changeId))
      .map((one) => one.changeId),
  };
}
