import type { ChangeDetails, FileSide, RebasePreview } from "#shared/contract/commands/graph.ts";
import { metadataProblems } from "#shared/domain/change-metadata/trailers.ts";
import { cutDiff } from "#shared/domain/files/diff.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { JjError } from "../jj/process/errors.ts";
import type { OpenRepository } from "./open-repository.ts";
import { Refusal } from "./refusal.ts";

/** A diff beyond this is cut, in characters: files that come after are read one by one. */
const maxDiffLength = 2_000_000;
/** Of one file alone, which is drawn line by line as it is read. */
const maxFileDiffLength = 40_000_000;

export async function changeDetails(
  { repository, graph }: OpenRepository,
  commitId: string,
): Promise<ChangeDetails> {
  const change = graph().find(commitId) ?? (await repository.query(commitId, { limit: 1 }))[0];
  if (!change)
    throw new Refusal(`No commit ${commitId}.`, "It may have been rewritten: select it again in the graph.");
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
  repository: Repository,
  commitId: string,
  paths: readonly string[] | undefined,
): Promise<{ diff: string; truncated: boolean }> {
  const limit = paths && paths.length <= 2 ? maxFileDiffLength : maxDiffLength;
  const whole = await repository.diff({
    commit: commitId,
    limit,
    ...(paths ? { paths } : {}),
  });
  const { diff, isCut } = cutDiff(whole, limit);
  return { diff, truncated: isCut };
}

/** Maximum size of an image that is sent to a window. In bytes. */
const largestImage = 8_000_000;
const imageName = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/iu;

/** Both versions of a file that is compared by size or picture instead of by lines. */
export async function fileSides(
  repository: Repository,
  { commitId, path, source }: { readonly commitId: string; readonly path: string; readonly source: string },
): Promise<{ before: FileSide | null; after: FileSide | null }> {
  const parents = await repository.parentsOf(commitId);
  const [after, ...before] = await Promise.all([
    sideIn(repository, commitId, path),
    ...parents.map((parent) => sideIn(repository, parent.commitId, source)),
  ]);
  return { before: before.find((side) => side !== null) ?? null, after: after ?? null };
}

async function sideIn(
  repository: Pick<Repository, "readFile">,
  commit: string,
  path: string,
): Promise<FileSide | null> {
  try {
    const content = await repository.readFile(commit, path);
    const isShown = imageName.test(path) && content.length <= largestImage;
    return {
      bytes: content.length,
      image: isShown ? Buffer.from(content).toString("base64") : null,
    };
  } catch (error) {
    if (error instanceof JjError && error.kind === "no-such-path") return null;
    throw error;
  }
}

/** What the graph would be after the drop, computed by jj and never published. */
export async function previewRebase(
  open: OpenRepository,
  changeId: string,
  onto: string,
): Promise<RebasePreview> {
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
