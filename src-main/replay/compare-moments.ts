/** What changed in a run from one moment to another. */
import type { MomentDifference } from "#shared/contract/commands/replay.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";

export interface ComparedMoment {
  readonly at: number;
  readonly run: Pick<RunView, "workers">;
  readonly changes: readonly Change[];
}

/** Where changes with many files meet many changes, the rest is only counted. */
const maxFilesRead = 40;

type Changed = MomentDifference["changes"][number];

/** Changes and agents that are not what they were, in the order of the later moment. */
export function compareMoments(
  run: string,
  before: ComparedMoment,
  after: ComparedMoment,
): Pick<MomentDifference, "from" | "to" | "changes" | "workers"> {
  // What has landed may bear no line of the run any more.
  const ids = new Set([
    ...[...before.changes, ...after.changes].flatMap(({ changeId, metadata }) =>
      metadata.run === run ? [changeId] : [],
    ),
    ...after.run.workers.map(({ changeId }) => changeId),
  ]);
  const own = ({ changes }: ComparedMoment): ReadonlyMap<string, Change> =>
    new Map(changes.filter(({ changeId }) => ids.has(changeId)).map((one) => [one.changeId, one]));
  const [was, is] = [own(before), own(after)];
  const known = new Map(before.run.workers.map((worker) => [worker.name, worker]));
  return {
    from: before.at,
    to: after.at,
    changes: [
      ...[...is.values()].flatMap((now) => changed(was.get(now.changeId), now) ?? []),
      ...[...was.values()]
        .filter(({ changeId }) => !is.has(changeId))
        .map((gone): Changed => ({ ...named(gone), how: "gone", from: gone.commitId, to: null })),
    ],
    workers: after.run.workers.flatMap(({ name, title, status, iteration }) => {
      const then = known.get(name);
      if (then && then.status === status && then.iteration === iteration) return [];
      return [
        {
          name,
          title,
          before: then?.status ?? null,
          after: status,
          iterations: iteration - (then?.iteration ?? 0),
        },
      ];
    }),
  };
}

const named = ({ changeId, description }: Change): Pick<Changed, "changeId" | "title"> => ({
  changeId,
  title: parseDescription(description).subject,
});

function changed(was: Change | undefined, now: Change): Changed | null {
  if (!was) return { ...named(now), how: "new", from: null, to: now.commitId };
  if (was.commitId === now.commitId) return null;
  const isSameText = was.description === now.description;
  const isSamePlace = was.parents.join() === now.parents.join();
  const how = isSamePlace && isSameText ? "edited" : isSamePlace ? "described" : "moved";
  return { ...named(now), how, from: was.commitId, to: now.commitId };
}

/** The files in which those changes differ, by path, with the titles of the changes. */
export async function filesBetween(
  repository: Pick<Repository, "diffFiles" | "interdiff">,
  changes: readonly Changed[],
): Promise<MomentDifference["files"]> {
  const files = new Map<string, string[]>();
  for (const { title, from, to } of changes.slice(0, maxFilesRead)) {
    if (to === null) continue;
    // What jj has garbage-collected since is left out.
    const paths = await (from === null
      ? repository.diffFiles({ commit: to })
      : repository.interdiff({ from, to }).then((found) => found.files)
    ).catch(() => []);
    for (const path of paths) files.set(path, [...(files.get(path) ?? []), title]);
  }
  return [...files]
    .map(([path, titles]) => ({ path, titles }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
