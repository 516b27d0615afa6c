/** The branch of patterns as it stands, whoever wrote it. */
import type { PatternFile } from "#shared/domain/patterns/pattern.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { readPattern } from "./pattern-text.ts";
import { PatternRefused, patternBookmark } from "./patterns-interface.ts";

export type BranchHead = Pick<Change, "commitId">;

/** Of everything that others may have put there. */
const [maxFiles, maxFileLength] = [500, 20_000] as const;

export async function headOf(repository: Repository): Promise<Change | null> {
  const found = (await repository.refs()).bookmarks[patternBookmark] ?? [];
  if (found.length > 1) {
    throw new PatternRefused(
      `The bookmark ${patternBookmark} points at ${found.length} changes.`,
      [],
      `Choose one: jj bookmark set ${patternBookmark} -r <change>.`,
    );
  }
  const [commit] = found;
  return commit === undefined ? null : repository.change(commit);
}

export interface BranchFile {
  readonly id: string;
  readonly text: string;
  readonly pattern: PatternFile;
}

/** Every pattern of the branch, and what there is no pattern, in words for a person. */
export async function readBranch(repository: Repository): Promise<{
  readonly commit: string | null;
  readonly files: readonly BranchFile[];
  readonly problems: readonly string[];
}> {
  const branch = await headOf(repository);
  if (!branch) return { commit: null, files: [], problems: [] };
  return { commit: branch.commitId, ...(await readFiles(repository, branch.commitId)) };
}

/** @param commit of any branch of patterns */
export async function readFiles(
  repository: Repository,
  commit: string,
): Promise<{ readonly files: readonly BranchFile[]; readonly problems: readonly string[] }> {
  const files: BranchFile[] = [];
  const problems: string[] = [];
  const paths = await repository.listFiles(commit);
  for (const path of paths.slice(0, maxFiles)) {
    const bytes = await repository.readFile(commit, path);
    const text = bytes.length > maxFileLength ? null : new TextDecoder().decode(bytes);
    const read =
      text === null ? { problem: `${path} is longer than ${maxFileLength} bytes.` } : readPattern(path, text);
    if ("problem" in read)
      problems.push(`${read.problem} Hox ignores it; fix it on the bookmark ${patternBookmark}.`);
    else if (text !== null) files.push({ id: read.id, text, pattern: read });
  }
  if (paths.length > maxFiles)
    problems.push(`${patternBookmark} has ${paths.length} files; Hox reads the first ${maxFiles}.`);
  return { files, problems };
}

export async function refuseForeignFiles(repository: Repository, branch: BranchHead): Promise<void> {
  const foreign = (await repository.listFiles(branch.commitId)).find((file) => !file.startsWith("patterns/"));
  if (foreign) {
    throw new PatternRefused(
      `The bookmark ${patternBookmark} contains ${foreign}, so it is not the patterns branch.`,
      [],
      "Rename that bookmark first.",
    );
  }
}
