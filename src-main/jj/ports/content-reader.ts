import type { FileStat } from "#shared/contract/commands/graph.ts";
import type { ReadTextsOptions } from "../read-texts.ts";

/** Reads what commits hold. */
export interface ContentReader {
  /**
   * Git-format diff of one commit against its (merged) parents, or between two commits. With `limit` reading
   * stops after that many characters: the answer is longer than the limit exactly when something was left
   * out. Names with control characters are quoted as git quotes them.
   */
  diff(options: {
    commit: string;
    from?: string;
    limit?: number;
    operation?: string;
    paths?: readonly string[];
  }): Promise<string>;
  /**
   * Git-format diffs of many commits, each against its (merged) parents, in one process. By commit id; commits that are gone
   * are left out.
   */
  diffs(commits: readonly string[], options?: { operation?: string }): Promise<ReadonlyMap<string, string>>;
  /**
   * The files of such a diff, a renamed one by its new name. Names may contain anything, even line ends, so
   * do not parse them from the text. `includesOldNames` adds old names of renamed files.
   */
  diffFiles(options: {
    commit: string;
    from?: string;
    operation?: string;
    includesOldNames?: boolean;
  }): Promise<readonly string[]>;
  /**
   * What one version of a change does that a previous version of it did not: the patch and its files. Unlike a plain
   * diff of the two it leaves out what was rewritten below them meanwhile.
   */
  interdiff(versions: { from: string; to: string }): Promise<{ diff: string; files: readonly string[] }>;
  /** Files that a commit changes. */
  changedFiles(commit: string, options?: { operation?: string }): Promise<readonly ChangedFile[]>;
  /** The same with changed lines and bytes for each file; a renamed one has its new name. */
  fileStats(commit: string, options?: { operation?: string }): Promise<readonly FileStat[]>;
  /** Their paths alone, which mostly costs no process. */
  changedPaths(commit: string, options?: { operation?: string }): Promise<readonly string[]>;
  /** Every file of a commit. */
  listFiles(commit: string, options?: { operation?: string }): Promise<readonly string[]>;
  /** The content of one file in a commit; conflicted files come with jj's markers. */
  readFile(commit: string, path: string, options?: { operation?: string }): Promise<Uint8Array>;
  /**
   * A file in conflict with all its sides and bases, for `conflictParts`; jj describes what is not a file.
   */
  readConflict(commit: string, path: string, options?: { operation?: string }): Promise<Uint8Array>;
  /** The texts of many files of a commit, with few processes and within limits; see `read-texts.ts`. */
  readTexts(
    commit: string,
    paths: readonly string[],
    options?: ReadTextsOptions,
  ): Promise<ReadonlyMap<string, string>>;
  /** Conflicted files of a commit. */
  conflictedFiles(commit: string, options?: { operation?: string }): Promise<readonly ConflictedFile[]>;
  /**
   * How many files and folders of a commit a partial clone has not fetched. jj fetches none of them, so nothing can be built
   * on such a commit. 0 in every other repository.
   */
  missingObjects(commit: string): Promise<number>;
  /** Files of a commit that Git LFS tracks: their content is a pointer, in workspaces too. */
  lfsFiles(commit: string): Promise<readonly string[]>;
  /**
   * Those of some paths where a commit has the content of an LFS file. Workspaces replace it by a pointer
   * when they are snapshotted, so it comes from other tools.
   */
  lfsContent(commit: string, paths: readonly string[]): Promise<readonly { readonly path: string }[]>;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "removed" | "renamed" | "copied";
}

export interface ConflictedFile {
  readonly path: string;
  readonly sides: number;
}
