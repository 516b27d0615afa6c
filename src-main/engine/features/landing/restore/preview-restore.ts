/** What taking the whole repository back would do, computed by jj on the real graph and never published. */
import type { RestorePreview } from "#shared/contract/views/restore.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import { type RestoredChange, restoredBookmarks, restoredChanges } from "#shared/graph/restored-graph.ts";
import { personsOwn } from "../../../../jj/ports/graph-reader.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { findMoment } from "./find-moment.ts";
import { touchedRuns } from "./touched-runs.ts";

export type RestoreScope = Pick<
  CommandScope<Run>,
  "repository" | "journal" | "landings" | "allGoing" | "shown" | "newId" | "finish" | "flush"
>;

/** The files of so many changes are read: a few ms each. */
const maxOperationsRead = 60;
const operationsShown = 20;

/** @param to see `findMoment`. Where every run is paused, what nobody had recorded is recorded first. */
export async function previewRestore(scope: RestoreScope, to: string | number): Promise<RestorePreview> {
  const { repository } = scope;
  const going = scope.allGoing();
  const unpaused = going.filter(({ state }) => state.hold === "none");
  const isManagedByGit = (await repository.gitStand())?.isManagedByGit === true;
  if (unpaused.length === 0) {
    for (const run of going) await run.workspaces.saveAll();
    if (!isManagedByGit) await repository.recordOpened();
  }
  const { operation, since } = await findMoment(repository, to);
  const head = await repository.currentOperation();
  const { operation: tried } = await repository.dryRun({
    kind: "restore-everything",
    operation: operation.id,
  });
  const [delta, before] = [
    await repository.readDelta(head, tried),
    await repository.refs({ operation: head }),
  ];
  const gone = await repository.commitsOf(delta.removed, { operation: head });
  const { changes, rebased } = await withFiles(scope, restoredChanges(gone, delta.added), head, tried);
  const bookmarks = restoredBookmarks(
    before.bookmarks,
    delta.refs.bookmarks,
    await titlesOf(repository, [...gone, ...delta.added], [before.bookmarks, delta.refs.bookmarks], head),
  );
  const isNothing = gone.length === 0 && delta.added.length === 0 && bookmarks.length === 0;
  return {
    moment: {
      operation: operation.id,
      at: operation.time,
      actor: operation.actor,
      description: operation.description,
    },
    head,
    operationCount: since.length,
    fromTerminals: since
      .filter(({ actor, snapshot }) => actor === "terminal" && !snapshot)
      .slice(0, operationsShown)
      .map(({ id, time, description }) => ({ id, time, description })),
    changes,
    rebased,
    bookmarks,
    agents: agentsOf(changes),
    ownFiles: isManagedByGit ? null : await ownFiles(scope, head, tried),
    runs: touchedRuns(scope, { changes, bookmarks }, before.workspaces, delta.refs.workspaces),
    refusal: refusalOf(unpaused, isNothing),
  };
}

/** A change whose own files, place and words stay is only put onto other ground. */
async function withFiles(
  { repository }: RestoreScope,
  found: readonly RestoredChange[],
  head: string,
  tried: string,
): Promise<{ readonly changes: readonly RestoredChange[]; readonly rebased: number }> {
  const changes: RestoredChange[] = [];
  for (const [at, change] of found.entries()) {
    const { from, to, how } = change;
    const files =
      at >= maxOperationsRead
        ? []
        : from !== null && to !== null
          ? (await repository.interdiff({ from, to })).files
          : await repository.diffFiles({
              commit: from ?? to ?? "",
              operation: from === null ? tried : head,
            });
    if (how === "other files" && at < maxOperationsRead && files.length === 0) continue;
    changes.push({ ...change, how: files.length > 0 && how === "other words" ? "other files" : how, files });
  }
  return { changes, rebased: found.length - changes.length };
}

async function titlesOf(
  repository: RestoreScope["repository"],
  known: readonly Change[],
  bookmarks: readonly Readonly<Record<string, readonly string[]>>[],
  operation: string,
): Promise<ReadonlyMap<string, string>> {
  const [before = {}, after = {}] = bookmarks;
  const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name]?.join() !== after[name]?.join(),
  );
  const asked = new Set(differing.flatMap((name) => [...(before[name] ?? []), ...(after[name] ?? [])]));
  for (const { commitId } of known) asked.delete(commitId);
  const rest = await repository.commitsOf([...asked], { operation });
  return new Map(
    [...known, ...rest].map(({ commitId, description }) => [commitId, parseDescription(description).subject]),
  );
}

function agentsOf(changes: readonly RestoredChange[]): RestorePreview["agents"] {
  const counts = new Map<string, number>();
  for (const { agent } of changes) if (agent !== null) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, changes: count }));
}

/** In what the opened folder's own change differs. */
async function ownFiles(
  { repository }: RestoreScope,
  head: string,
  tried: string,
): Promise<readonly string[]> {
  const now = await repository.change(personsOwn, { operation: head });
  const then = await repository.change(personsOwn, { operation: tried });
  if (!now || !then || now.commitId === then.commitId) return [];
  return repository.diffFiles({ from: now.commitId, commit: then.commitId, operation: tried });
}

function refusalOf(unpaused: readonly Run[], isNothing: boolean): RestorePreview["refusal"] {
  const [first] = unpaused;
  if (first)
    return {
      kind: "running",
      reason:
        unpaused.length === 1
          ? `The run ${rootOf(first)} is active.`
          : `${unpaused.length} runs are active: ${unpaused.map(rootOf).join(", ")}.`,
      remedy: `Pause ${unpaused.length === 1 ? "it" : "them"} first: \`hox pause\`.`,
    };
  return isNothing
    ? {
        kind: "nothing",
        reason: "Nothing to restore: nothing has changed since then.",
        remedy: "Choose an earlier point.",
      }
    : null;
}
