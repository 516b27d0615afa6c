import type { Restored, RestoredRun, RestorePreview } from "#shared/contract/commands/graph.ts";
import type { CommandInput } from "#shared/contract/commands.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { Change, Operation } from "#shared/graph/change.ts";
import { type RestoredChange, restoredBookmarks, restoredChanges } from "#shared/graph/restored-graph.ts";
import { usersOwn } from "../../../../jj/ports/graph-reader.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { recordedState } from "../../../recorded-state.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { notifyTakenOver } from "../../../workspaces/rewrite-beneath.ts";

const operationsRead = 2_000;

/**
 * Restores the whole repository to an earlier operation. The single jj operation makes it atomic. The journal
 * records the intent before it and the result after it; if the process ended in between, the next start
 * completes the record. (docs/decisions/0045)
 *
 * @throws EngineRefusal while a run is active and not paused, or when the repository changed since the user
 *   looked at it
 */
async function restoreEverything(
  scope: RestoreScope,
  { operation, head }: CommandInput<"operation.restore">,
): Promise<Restored> {
  const going = scope.allGoing();
  const { written, touched } = await withoutAgents(going, async () => {
    const preview = await previewRestore(scope, operation);
    if (preview.refusal) throw new EngineRefusal(preview.refusal.reason, preview.refusal.remedy);
    if (!preview.head.startsWith(head))
      throw new EngineRefusal(
        "The repository has changed since the preview.",
        "Check the new preview, then restore again.",
      );
    const ends = new Set(preview.runs.flatMap(({ id, becomes }) => (becomes === "ends" ? [id] : [])));
    const ending = going.filter(({ id }) => ends.has(id));
    const request = scope.newId();
    const { at } = preview.moment;
    for (const run of ending)
      run.append({ kind: "RestoreStarted", request, operation: preview.moment.operation, at });
    const asked = { operation: preview.moment.operation, since: preview.head, request, actor: "hox" };
    const restoring = scope.landings.during(() => scope.repository.restoreEverything(asked));
    const done = await restoring.catch(async (error: unknown) => {
      for (const run of ending) await settleRestoring(run);
      throw error;
    });
    for (const run of ending) run.dispatch({ kind: "Stop", by: "restore" });
    for (const run of going) await followWorkspaces(run);
    return { written: done, touched: ending };
  });
  for (const run of touched) await scope.finish(run);
  for (const run of scope.allGoing()) await run.refreshChanges();
  scope.flush();
  return { operation: written.operation, ended: touched.map(({ id }) => id) };
}

type RestoreScope = Pick<
  CommandScope<Run>,
  "repository" | "journal" | "landings" | "allGoing" | "shown" | "newId" | "finish" | "flush"
>;

/** The files of this many operations are read, at a few ms each. */
const maxOperationsRead = 60;
const operationsShown = 20;

/**
 * A preview of restoring the whole repository, computed by jj on the real graph and never published.
 *
 * @param to see `findMoment`. If every run is paused, pending edits are snapshotted first.
 */
async function previewRestore(scope: RestoreScope, to: string | number): Promise<RestorePreview> {
  const { repository } = scope;
  const going = scope.allGoing();
  const unpaused = going.filter(({ state }) => state.pause === "none");
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

interface Records {
  readonly journal: Pick<Journal, "runs" | "events">;
  readonly allGoing: () => readonly Pick<RunReader, "id" | "row" | "workers">[];
  readonly shown: () => readonly Pick<Run, "id" | "facts">[];
}

/**
 * What becomes of each run's record where its repository goes back.
 *
 * A run is touched where anything of its changes or of its agents' workspaces is not what it was.
 */
export function touchedRuns(
  { journal, allGoing, shown }: Records,
  { changes, bookmarks }: Pick<RestorePreview, "changes" | "bookmarks">,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly RestoredRun[] {
  const touched = (run: string) => changes.filter((change) => change.run === run);
  const going = allGoing().map((run): RestoredRun => {
    const own = touched(run.id);
    const isTouched =
      own.length > 0 || [...run.workers.keys()].some((worker) => before[worker] !== after[worker]);
    return {
      id: run.id,
      root: rootOf(run),
      goal: run.row.input.goal,
      becomes: isTouched ? "ends" : "stays",
      loses: isTouched ? losses(own) : [],
    };
  });
  const ids = new Set(going.map(({ id }) => id));
  const ofLanding = (run: string): readonly string[] => {
    if (bookmarks.length === 0) return [];
    const { landing } = shown().find(({ id }) => id === run)?.facts ?? recordedState(journal, run);
    const { landed } = landing;
    const moved = bookmarks.find(({ name }) => name === landed?.bookmark);
    if (!landed || !moved) return [];
    const { bookmark, move, undoneAt } = landed;
    if (undoneAt === null)
      return moved.from?.commitId === move.to ? [`It landed on ${bookmark}, which moves back.`] : [];
    return moved.to?.commitId === move.to ? [`Its landing on ${bookmark} is restored.`] : [];
  };
  const over = journal.runs().flatMap(({ id, input }): readonly RestoredRun[] => {
    if (ids.has(id)) return [];
    const [own, landing] = [touched(id), ofLanding(id)];
    if (own.length === 0 && landing.length === 0) return [];
    const { goal, root } = input;
    return [{ id, root, goal, becomes: "over", loses: [...landing, ...losses(own)] }];
  });
  return [...going, ...over];
}

const counted = (count: number): string => `${count} ${count === 1 ? "change" : "changes"}`;

function losses(own: readonly RestoredChange[]): readonly string[] {
  const gone = own.filter(({ how }) => how === "goes").length;
  const back = own.filter(({ how }) => how === "comes back").length;
  const others = own.length - gone - back;
  return [
    ...(gone > 0 ? [`${counted(gone)} of this run ${gone === 1 ? "is" : "are"} removed.`] : []),
    ...(back > 0 ? [`${counted(back)} of this run ${back === 1 ? "is" : "are"} restored.`] : []),
    ...(others > 0
      ? [
          `${counted(others)} of this run ${others === 1 ? "returns to its" : "return to their"} earlier state.`,
        ]
      : []),
  ];
}

const firstRead = 500;
/** A log that is longer is read to here. */
const maxLogRead = 50_000;

/**
 * @param to an operation, by its id or a prefix of it; or a time (ms since 1970), for the last operation
 *   before it
 * @returns the operation, and what came after it, the newest first
 * @throws EngineRefusal if the log has no such operation, or several match
 */
async function findMoment(repository: Pick<Run["repository"], "operations">, to: string | number) {
  for (let limit = firstRead; ; limit = Math.min(maxLogRead, limit * 4)) {
    const read = await repository.operations({ limit });
    const fits = ({ id, time, parents }: Operation): boolean =>
      parents.length > 0 && (typeof to === "number" ? time <= to : id.startsWith(to));
    const at = read.findIndex(fits);
    const operation = read[at];
    if (operation) {
      if (typeof to === "string" && read.filter(fits).length > 1)
        throw new EngineRefusal(
          `Several operation IDs start with "${to}".`,
          "Give more characters: see `jj op log`.",
        );
      return { operation, since: read.slice(0, at) };
    }
    if (read.length < limit || limit === maxLogRead) throw unknown(to);
  }
}

const unknown = (to: string | number): EngineRefusal =>
  typeof to === "number"
    ? new EngineRefusal(
        "jj's operation log does not go back that far.",
        "Choose a later time: see `jj op log`.",
      )
    : new EngineRefusal(
        `No operation ${to.slice(0, 12)}.`,
        "List operations with `jj op log` or below the graph.",
      );

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
  const now = await repository.change(usersOwn, { operation: head });
  const then = await repository.change(usersOwn, { operation: tried });
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

/** While no agent of these runs is inside a turn. */
const withoutAgents = <T>(runs: readonly Run[], work: () => Promise<T>): Promise<T> =>
  runs.reduce<() => Promise<T>>(
    (inner, run) => () => run.lock.withAllExclusive(inner, "the repository is being restored"),
    work,
  )();

/**
 * Updates agents' files to the restored operation; everything in them was snapshotted. A workspace that did
 * not exist then keeps its folder for an undo; one whose folder is gone since is dropped.
 */
async function followWorkspaces(run: Run): Promise<void> {
  const { workspaces } = await run.repository.refs();
  for (const worker of run.workers.keys()) {
    if (workspaces[worker] === undefined) continue;
    await run.workspaces.of(worker)?.updateStale({ actor: worker });
    await run.workspaces.forgetGone(worker);
  }
  notifyTakenOver(run, () => true, "The repository was restored to an earlier point.");
}

/** jj's operation log says whether it was done. If so, the run ended by it; otherwise nothing happened. */
export async function settleRestoring(
  run: Pick<Run, "facts" | "append" | "dispatch" | "repository">,
): Promise<void> {
  const { restoring } = run.facts;
  if (restoring === null) return;
  const operations = await run.repository.operations({ limit: operationsRead });
  if (operations.some(({ request }) => request === restoring.request))
    run.dispatch({ kind: "Stop", by: "restore" });
  else run.append({ kind: "RestoreDropped" });
}

/** Restores the whole repository to an earlier moment. (design 12) */
export const restore: Feature<Run> = {
  name: "restore",
  commands: (scope) => ({
    "operation.previewRestore": ({ to }) => previewRestore(scope, to),
    "run.pauseAll"() {
      for (const run of scope.allGoing()) if (run.state.pause === "none") run.dispatch({ kind: "Pause" });
      scope.flush();
    },
    "operation.restore": (asked) => restoreEverything(scope, asked),
  }),
};
