/** Trial merges by what is known without a process: none where nothing can meet, and none twice. */

import type { Change } from "#shared/graph/change.ts";
import { type CachedGraph, changesNamed } from "../graph-memory/cached-graph.ts";
import { keepNewest } from "../graph-memory/commit-store.ts";
import type { TrialConflict } from "../ports/repository-interface.ts";
import type { KnownFiles, RememberedContents } from "../read/remembered-contents.ts";
import { trialMerge, type Written } from "./trial-merge.ts";
import type { RepositoryParts } from "./writer-parts.ts";

/** Trials that are kept: of all work that is going on, and of what is finished. */
const maxTrials = 8;

/**
 * Makes the trial of one repository. What was tried is not tried again while no file of it has changed, and changes that
 * write no file in common are not tried at all.
 * @param contents what commits change and have in conflict
 */
export function createTrialMerge(
  parts: RepositoryParts,
  { knownFiles, changedPaths }: Pick<RememberedContents, "knownFiles" | "changedPaths">,
): (changes: readonly string[]) => Promise<readonly TrialConflict[]> {
  const { memory, commits, current } = parts;
  const trials = new Map<string, Promise<readonly TrialConflict[]>>();

  /** Equal for two trials of the same files on the same base; null if unknown. */
  async function keyOf(graph: CachedGraph, rows: readonly Change[]): Promise<string | null> {
    const lines: string[] = [];
    for (const commit of withAllBelow(graph, rows)) {
      const row = graph.rows.get(commit);
      if (!row) {
        lines.push(commit);
        continue;
      }
      const object = await commits.read(commit);
      if (!object) return null;
      const below = row.parents.map((parent) => graph.rows.get(parent)?.changeId ?? parent);
      lines.push([row.changeId, object.files, ...below].join(" "));
    }
    return [...rows.map(({ changeId }) => changeId).toSorted(), "", ...lines.toSorted()].join("\n");
  }

  /** What changes write, and those below them on the same commit; null where that, or what meets in it, takes a process to know. */
  async function writtenBy(graph: CachedGraph, rows: readonly Change[]): Promise<Written | null> {
    const bottoms = new Set<string>();
    const files = new Map<string, KnownFiles>();
    let hasAsked = false;
    for (const commit of withAllBelow(graph, rows)) {
      const row = graph.rows.get(commit);
      if (!row) {
        bottoms.add(commit);
        continue;
      }
      let its = await knownFiles(commit);
      if (its === undefined && !row.conflict && !hasAsked) {
        // Asked once and then known, also for what becomes of it: most often an inserted decision.
        hasAsked = true;
        await changedPaths(commit);
        its = await knownFiles(commit);
      }
      // A merge could bring what none of these changes holds.
      if (its === undefined || row.parents.length !== 1) return null;
      files.set(commit, its);
    }
    const shared = sharedPaths([...files.values()].map(({ paths }) => paths));
    return bottoms.size === 1 ? { tried: rows, files, shared } : null;
  }

  return async (changes) => {
    if (changes.length < 2) return [];
    const operation = await current();
    const graph = await memory.known(operation);
    const rows = graph && changesNamed(graph, changes);
    if (!graph || !rows || rows.length < changes.length) return trialMerge(parts, operation, changes, null);
    const written = await writtenBy(graph, rows);
    if (written?.shared.length === 0) return [];
    const key = await keyOf(graph, rows);
    const known = key === null ? undefined : trials.get(key);
    if (known) return known;
    const found = trialMerge(parts, operation, changes, written);
    if (key !== null) {
      keepNewest(trials, maxTrials, key, found);
      found.catch(() => trials.delete(key));
    }
    return found;
  };
}

/** Paths that are in several lists, and those in one that is a folder in another. */
function sharedPaths(lists: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of lists.flat()) counts.set(path, (counts.get(path) ?? 0) + 1);
  const shared = new Set<string>();
  for (const [path, count] of counts) {
    if (count > 1) shared.add(path);
    const parts = path.split("/");
    const folders = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
    for (const file of folders.filter((folder) => counts.has(folder))) shared.add(file).add(path);
  }
  return [...shared];
}

/** Ids of commits, and of all below them that are cached, with the first ones that are not. */
function withAllBelow(graph: CachedGraph, rows: readonly Change[]): ReadonlySet<string> {
  const reached = new Set(rows.map(({ commitId }) => commitId));
  for (const commit of reached)
    for (const parent of graph.rows.get(commit)?.parents ?? []) reached.add(parent);
  return reached;
}
