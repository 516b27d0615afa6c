/** What files a run left, by what they hold: the one thing about commits that two runs can have in common. */
import { createHash } from "node:crypto";
import type { Change } from "#shared/graph/change.ts";
import { replayModel } from "../../engine/model/reduce-model.ts";
import type { ModelEvent } from "../../engine/model/run-events.ts";
import type { RunModel } from "../../engine/model/run-model.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { graphsInRepository } from "../past-graphs.ts";
import type { RecordedWork, Recording } from "../recording.ts";

type Source = Pick<
  Repository,
  "operations" | "readGraph" | "changedPaths" | "diffFiles" | "listFiles" | "readFile"
>;

/** The name under which what landed stands among the workers' own changes. */
const landedWork = "result";

/** In place of the hash of a file in which something was replaced for others: it cannot be compared. */
export const replacedFile = "replaced";

/**
 * @param isReplaced whether something of a text is replaced for others
 * @returns the files of each worker's change as it stood last, and of what landed
 */
export async function readWorks(
  repository: Source,
  recording: Recording,
  isReplaced: (text: string) => boolean = () => false,
): Promise<readonly RecordedWork[]> {
  const hashes = (commit: string, paths: readonly string[]) =>
    hashesOf(repository, commit, paths, isReplaced);
  const model = replayModel(
    recording.moments.flatMap(({ event }): ModelEvent[] => (event.kind === "StageMoved" ? [] : [event])),
  );
  const works: RecordedWork[] = [];
  for (const { worker, commit } of await lastCommits(repository, recording, model)) {
    const paths = await repository.changedPaths(commit).catch(() => null);
    if (paths) works.push({ worker, files: await hashes(commit, paths) });
  }
  const move = model.landing.landed?.move;
  if (!move) return works;
  const paths = move.from
    ? await repository
        .diffFiles({ commit: move.to, from: move.from, includesOldNames: true })
        .catch(() => null)
    : await repository.listFiles(move.to).catch(() => null);
  return paths ? [...works, { worker: landedWork, files: await hashes(move.to, paths) }] : works;
}

/** A change that was cleared away after the run stands in an earlier graph. */
async function lastCommits(
  repository: Source,
  recording: Recording,
  { workers }: RunModel,
): Promise<readonly { readonly worker: string; readonly commit: string }[]> {
  const past = await graphsInRepository(repository, recording);
  const last = past.operationAt(Number.POSITIVE_INFINITY);
  if (last === null) return [];
  const { changes } = await past.graphOf(last);
  const byId = new Map<string, Change>(changes.map((change) => [change.changeId, change]));
  return Object.values(workers).flatMap(({ name, changeId }) => {
    const change = changeId === null ? undefined : byId.get(changeId);
    return change ? [{ worker: name, commit: change.commitId }] : [];
  });
}

/** Path → hash; null: the file is not there any more. */
async function hashesOf(
  repository: Source,
  commit: string,
  paths: readonly string[],
  isReplaced: (text: string) => boolean,
): Promise<RecordedWork["files"]> {
  const all = await Promise.all(
    [...paths].sort().map(async (path) => {
      const bytes = await repository.readFile(commit, path).catch(() => null);
      if (bytes === null) return [path, null] as const;
      const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
      return [path, isReplaced(new TextDecoder().decode(bytes)) ? replacedFile : hash] as const;
    }),
  );
  return Object.fromEntries(all);
}
