/** What a run changed, as the graph has it now. */
import type { RunView } from "#shared/contract/views/run.ts";
import type { ReportedFile, ReportedResult } from "#shared/contract/views/run-report.ts";
import { statOf } from "#shared/domain/files/diff.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { rootCommit } from "../jj/ports/graph-reader.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { emptyResult } from "./run-report.ts";

type Source = Pick<Repository, "diff" | "diffFiles" | "change" | "changesSince" | "changesOf">;

/** More characters of a diff are not counted line by line. */
const maxDiffCharacters = 8_000_000;
const maxCommits = 500;

/** What landed, else what was brought together, else what each agent left. */
export async function readResult(repository: Source, run: RunView): Promise<ReportedResult> {
  try {
    return (
      (await landedResult(repository, run)) ??
      (await integrated(repository, run)) ??
      (await ofAgents(repository, run))
    );
  } catch (error) {
    return {
      ...emptyResult,
      note: `Its changes can no longer be read from the graph: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function landedResult(repository: Source, { landed }: RunView): Promise<ReportedResult | null> {
  if (landed?.to === undefined) return null;
  const from = landed.from ?? null;
  const commits = await repository.changesSince(from, landed.to, { limit: maxCommits });
  return {
    of: "landed",
    ...(await filesBetween(repository, landed.to, from ?? rootCommit)),
    commits: commits.map(({ description }) => parseDescription(description).subject),
  };
}

async function integrated(
  repository: Source,
  { integration, onto }: RunView,
): Promise<ReportedResult | null> {
  const change = integration === null ? null : await repository.change(integration);
  const base = onto === null ? null : await repository.change(onto);
  if (change === null || base === null) return null;
  return {
    of: "integration",
    ...(await filesBetween(repository, change.commitId, base.commitId)),
    commits: [],
  };
}

async function ofAgents(repository: Source, { workers }: RunView): Promise<ReportedResult> {
  const ids = workers.flatMap(({ role, changeId }) =>
    roles[role].canWriteTask && changeId !== null ? [changeId] : [],
  );
  const parts = await Promise.all(
    (await repository.changesOf(ids)).map(({ commitId }) => filesBetween(repository, commitId)),
  );
  const files = parts.flatMap((part) => part.files);
  if (files.length === 0) return emptyResult;
  return { of: "agents", files, commits: [], note: parts.find(({ note }) => note !== null)?.note ?? null };
}

async function filesBetween(
  repository: Source,
  commit: string,
  from?: string,
): Promise<Pick<ReportedResult, "files" | "note">> {
  const of = { commit, ...(from === undefined ? {} : { from }) };
  const [paths, diff] = await Promise.all([
    repository.diffFiles(of),
    repository.diff({ ...of, limit: maxDiffCharacters }),
  ]);
  const isCut = diff.length > maxDiffCharacters;
  // The last file of a diff that was cut is not whole.
  const counts = statOf(diff);
  const stat = new Map((isCut ? counts.slice(0, -1) : counts).map((one) => [one.path, one]));
  return {
    files: paths.map((path): ReportedFile => {
      const { added = 0, removed = 0 } = stat.get(path) ?? {};
      return added + removed === 0 ? { path, added: null, removed: null } : { path, added, removed };
    }),
    note: isCut ? "The result is too large to count changed lines per file." : null,
  };
}
