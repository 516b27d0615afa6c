import type { ChangeName, UndoneOperation } from "#shared/contract/commands/graph.ts";
import type { EngineCommands } from "#shared/contract/commands.ts";
import type { Metadata, MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { bodyOf, withBody, writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Change, Operation } from "#shared/graph/change.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { changeNamed, changeToEdit } from "../../../graph-sync/read-change.ts";
import { actorOf, type CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { enqueueStatusCommand } from "../status-commands/feature.ts";

type GraphCommand =
  | "change.describe"
  | "change.setMetadata"
  | "change.rebase"
  | "change.abandon"
  | "run.push"
  | "operation.undo";

/** The user's edits of the graph. jj's own refusals are passed on with their remedy. */
function graphCommands(scope: CommandScope<Run>): EngineCommands<GraphCommand, Run> {
  const { repository } = scope;
  const mark = (by?: string) => ({ request: scope.newId(), actor: actorOf(by) });
  return {
    async "change.describe"({ changeId, description }, by) {
      await changeToEdit(repository, changeId);
      const { operation } = await repository.describe(changeId, description, mark(by));
      await graphEdited(scope);
      return { operation };
    },
    async "change.setMetadata"({ changeIds, patch }, by) {
      for (const changeId of changeIds) await changeToEdit(repository, changeId);
      const { status, ...others } = patch;
      const runs = scope.isInactive ? [] : scope.allGoing();
      const enqueue = (change: string, requested: NonNullable<typeof status>): boolean =>
        runs.some((run) => enqueueStatusCommand(run, change, requested));
      const patches = changeIds.map((change) => ({
        change,
        // Of a task that is being worked on its status is a command, which the run carries out.
        patch: status && enqueue(change, status) ? others : patch,
      }));
      const written = patches.filter(({ patch: left }) => Object.keys(left).length > 0);
      if (written.length === 0) return { operation: null };
      const { operation } = await repository.setMetadata(written, mark(by));
      await graphEdited(scope);
      return { operation };
    },
    async "change.rebase"({ changeId, onto }, by) {
      await changeToEdit(repository, changeId);
      const target = await changeNamed(repository, onto);
      if (await repository.isAncestor(changeId, target.commitId))
        throw new EngineRefusal(
          "A change can't be moved onto itself or onto its descendants.",
          "Choose a change that is not a descendant.",
        );
      const written = await amongAgents(scope, () =>
        repository.rebase({ source: changeId, onto: [onto], ...mark(by) }),
      );
      await graphEdited(scope);
      return written;
    },
    async "change.abandon"({ changeId }, by) {
      await changeToEdit(repository, changeId);
      const written = await amongAgents(scope, () => repository.abandon(changeId, mark(by)));
      await graphEdited(scope);
      return written;
    },
    async "run.push"({ bookmark, moves, notesTo }, by) {
      await repository.push(bookmark, moves, mark(by));
      if (notesTo !== undefined) await repository.pushNotes(notesTo);
      await graphEdited(scope);
      return { operation: await repository.currentOperation() };
    },
    "operation.undo": ({ operation, force }) => undoOperation(scope, operation, force),
  };
}

/** How far back an operation is looked for. */
const operationsRead = 2000;
/** Of more changes it is not compared whether their files stayed. */
const maxDescribed = 20;

type Scope = CommandScope<Run>;

/**
 * Undoes one operation and keeps what others did since, or says what stands in the way.
 *
 * A capability that made the operation undoes it in its own way. Of any other, descriptions and a move are put back where they
 * still are as the operation left them; the rest is undone whole, as long as nothing builds on it.
 *
 * @param force undoes it whole in any case; later changes stay
 */
async function undoOperation(scope: Scope, id: string, force: boolean): Promise<UndoneOperation> {
  const { repository } = scope;
  const known = withBase(await repository.operations({ limit: operationsRead }), id);
  const own = known ? await scope.undoAsOwn(known) : null;
  if (own) return own;
  const [before, other] = known?.parents ?? [];
  if (!force && (before === undefined || other !== undefined))
    throw new EngineRefusal(
      "This operation can't be undone on its own.",
      "Find it in the operation list below the graph and undo its changes there.",
    );
  const written = force || before === undefined ? null : await rewrittenBy(repository, before, id);
  const undone =
    (written && ((await undoDescriptions(scope, written)) ?? (await undoMove(scope, written)))) ??
    (await undoWhole(scope, id, force ? null : (before ?? null)));
  if (undone.kind === "undone") await graphEdited(scope);
  return undone;
}

/**
 * Writes of a user to the graph while agents work on it.
 *
 * Pauses agents at a turn boundary while their ancestors are rewritten, and updates their files.
 */
const amongAgents = <T>({ allGoing }: CommandScope<Run>, write: () => Promise<T>): Promise<T> =>
  allGoing().reduce<() => Promise<T>>(
    (inner, run) => () =>
      run.lock.withAllExclusive(() => rewriteBeneath(run, { what: "The graph was changed." }, inner)),
    write,
  )();

/** What runs know of the graph is out of date. */
async function graphEdited({ allGoing, landings }: CommandScope<Run>): Promise<void> {
  await landings.follow();
  for (const run of allGoing()) {
    await run.refreshChanges();
    run.slots.look();
    run.changed();
  }
}

/** As if one command had made one operation: of a row of several the last one, on what the first one met. */
function withBase(operations: readonly Operation[], id: string): Operation | undefined {
  const byId = new Map(operations.map((one) => [one.id, one]));
  const known = byId.get(id);
  let first = known;
  for (;;) {
    const [parent, other] = first?.parents ?? [];
    const below = byId.get(parent ?? "");
    if (!first?.request || other !== undefined || below?.request !== first.request || below.snapshot) break;
    first = below;
  }
  return known && first && { ...known, parents: first.parents };
}

/** A change as an operation found it, and as it left it. */
interface Rewritten {
  readonly was: Change;
  readonly became: Change;
}

/** Null where it made or abandoned any. */
async function rewrittenBy(
  repository: Repository,
  before: string,
  operation: string,
): Promise<readonly Rewritten[] | null> {
  const { added, removed } = await repository.readPublishedDelta(before, operation);
  const old = new Map((await repository.commitsOf(removed)).map((change) => [change.changeId, change]));
  const pairs = added.flatMap((became) => {
    const was = old.get(became.changeId);
    return was ? [{ was, became }] : [];
  });
  return pairs.length === added.length && pairs.length === removed.length ? pairs : null;
}

/** Those that it put onto other parents, and not only onto new versions of the same. */
function movedOf(pairs: readonly Rewritten[]): readonly Rewritten[] {
  const now = new Map(pairs.map(({ was, became }) => [was.commitId, became.commitId]));
  return pairs.filter(
    ({ was, became }) =>
      was.parents.map((parent) => now.get(parent) ?? parent).join() !== became.parents.join(),
  );
}

const isDescribed = ({ was, became }: Rewritten): boolean => was.description !== became.description;

/** Null where it did anything else, or what cannot be put back in one operation. */
async function undoDescriptions(scope: Scope, pairs: readonly Rewritten[]): Promise<UndoneOperation | null> {
  const { repository } = scope;
  const described = pairs.filter(isDescribed);
  if (described.length === 0 || described.length > maxDescribed || movedOf(pairs).length > 0) return null;
  const files = described.map(({ was, became }) =>
    repository.diffFiles({ from: was.commitId, commit: became.commitId }),
  );
  if ((await Promise.all(files)).some((changed) => changed.length > 0)) return null;
  const present = await presentOf(repository, described);
  for (const pair of described) {
    const refusal = refusalOf(pair, present.get(pair.became.changeId));
    if (refusal) return refusal;
    await changeToEdit(repository, pair.became.changeId);
  }
  const mark = { request: scope.newId(), actor: "hox" };
  const [only, ...others] = described;
  if (only && others.length === 0) {
    const { changeId } = only.became;
    const description = descriptionBefore(only, present.get(changeId)?.description ?? "");
    return { kind: "undone", ...(await writtenBy(repository.describe(changeId, description, mark))) };
  }
  if (described.some(({ was, became }) => bodyOf(was.description) !== bodyOf(became.description)))
    return null;
  const patches = described.map((pair) => ({ change: pair.became.changeId, patch: patchBack(pair) }));
  return { kind: "undone", ...(await writtenBy(repository.setMetadata(patches, mark))) };
}

const presentOf = async (
  repository: Repository,
  pairs: readonly Rewritten[],
): Promise<ReadonlyMap<string, Change>> => {
  const found = await repository.changesOf(pairs.map(({ became }) => became.changeId));
  return new Map(found.map((change) => [change.changeId, change]));
};

const writtenBy = async (write: Promise<{ readonly operation: string }>) => ({
  operation: (await write).operation,
});

/** What others set meanwhile is not lost. */
function refusalOf(pair: Rewritten, now: Change | undefined): UndoneOperation | null {
  const { was, became } = pair;
  if (!now) return gone;
  const body = bodyOf(became.description);
  if (bodyOf(was.description) !== body && bodyOf(now.description) !== body)
    return refused("Its description was changed in the meantime.", now);
  for (const [field, value] of Object.entries(patchBack({ was: became, became: now })))
    if (field in patchBack(pair) && value !== undefined) {
      const found = String(now.metadata[field as keyof Metadata] ?? "not set").replace("_", " ");
      return refused(`Its ${field} was changed in the meantime to ${found}.`, now);
    }
  return null;
}

/** What sets the fields that differ back. */
function patchBack({ was, became }: Rewritten): MetadataPatch {
  const fields = new Set([...Object.keys(was.metadata), ...Object.keys(became.metadata)]) as ReadonlySet<
    keyof Metadata & keyof MetadataPatch
  >;
  return Object.fromEntries(
    [...fields]
      .filter((field) => was.metadata[field] !== became.metadata[field])
      .map((field) => [field, was.metadata[field] ?? null]),
  );
}

/** What a run has written below the text since, stays. */
function descriptionBefore(pair: Rewritten, now: string): string {
  const { was, became } = pair;
  if (now.trimEnd() === became.description.trimEnd()) return was.description;
  const isTextEdited = bodyOf(was.description) !== bodyOf(became.description);
  return writeMetadata(isTextEdited ? withBody(now, bodyOf(was.description)) : now, patchBack(pair));
}

/** Null where it moved none, or did more than moving one. */
async function undoMove(scope: Scope, pairs: readonly Rewritten[]): Promise<UndoneOperation | null> {
  const { repository } = scope;
  const [moved, other] = movedOf(pairs);
  if (!moved || other || pairs.some(isDescribed)) return null;
  const { changeId } = moved.became;
  const now = (await presentOf(repository, [moved])).get(changeId);
  if (!now) return gone;
  const [there, before] = [
    await changeIdsOf(repository, moved.became),
    await changeIdsOf(repository, moved.was),
  ];
  if ((await changeIdsOf(repository, now)).join() !== there.join())
    return refused("It was moved in the meantime.", now);
  if ((await repository.changesOf(before)).length < before.length)
    return refused("Its former parent no longer exists.", now);
  await changeToEdit(repository, changeId);
  const mark = { request: scope.newId(), actor: "hox" };
  const back = () => repository.rebase({ source: changeId, onto: before, ...mark });
  return { kind: "undone", ...(await writtenBy(amongAgents(scope, back))) };
}

/** Of its parents, in their order. */
async function changeIdsOf(repository: Repository, { parents }: Change): Promise<readonly string[]> {
  const found = await repository.commitsOf(parents);
  const byCommit = new Map(found.map(({ commitId, changeId }) => [commitId, changeId]));
  return parents.flatMap((parent) => byCommit.get(parent) ?? []);
}

/** @param before the operation that it was made on; null: what builds on it does not matter */
const undoWhole = (scope: Scope, operation: string, before: string | null): Promise<UndoneOperation> =>
  amongAgents(scope, async () => {
    const { repository } = scope;
    const [first, ...others] = before === null ? [] : await findDependents(repository, before, operation);
    if (first) {
      const more =
        others.length === 0 ? "" : others.length === 1 ? " and one more" : ` and ${others.length} more`;
      return { kind: "refused", why: `Later changes build on it: “${first.title}”${more}.`, at: first };
    }
    const mark = { request: scope.newId(), actor: "hox" };
    const written = scope.landings.during(() => repository.revertOperation(operation, mark));
    return { kind: "undone", ...(await writtenBy(written)) };
  });

/**
 * Changes that were written anew since the operation wrote them, and those that somebody has put on what it wrote. Without
 * any the operation can be undone, and everything is as it was before it.
 */
async function findDependents(
  repository: Pick<Repository, "readPublishedDelta" | "changesOf" | "descendantsOf">,
  before: string,
  operation: string,
): Promise<readonly ChangeName[]> {
  const { added } = await repository.readPublishedDelta(before, operation);
  const written = new Set(added.map(({ commitId }) => commitId));
  const now = await repository.changesOf(added.map(({ changeId }) => changeId));
  const dependents = now.filter(({ commitId }) => !written.has(commitId));
  const rewritten = new Set(dependents.map(({ changeId }) => changeId));
  for (const change of added) {
    if (rewritten.has(change.changeId)) continue;
    for (const above of await repository.descendantsOf(change.commitId))
      if (!written.has(above.commitId) && !rewritten.has(above.changeId)) {
        rewritten.add(above.changeId);
        dependents.push(above);
      }
  }
  return dependents.map(nameOf);
}

const nameOf = ({ changeId, description }: Change): ChangeName => ({
  changeId,
  title: shownLine(description.split("\n")[0] ?? "") || changeId.slice(0, 8),
});

const gone: UndoneOperation = { kind: "refused", why: "It is no longer on the graph.", at: null };

const refused = (why: string, change: Change): UndoneOperation => ({
  kind: "refused",
  why,
  at: nameOf(change),
});

/** The user's edits of the graph, while a run's agents work on it. */
export const graphEdits: Feature<Run> = { name: "graph-edits", commands: graphCommands };
