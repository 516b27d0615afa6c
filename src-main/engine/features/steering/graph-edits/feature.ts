import type { ChangeName } from "#shared/contract/views/undo.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { changeNamed, changeToEdit } from "../../../graph-sync/change-to-edit.ts";
import type { CommandScope, EngineCommands } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { announce } from "../../../orchestrators/messages.ts";
import type { Run, RunGraph } from "../../../ports.ts";
import { lastLanding } from "../../../recorded-state.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";

type GraphCommand =
  | "change.describe"
  | "change.setMetadata"
  | "change.rebase"
  | "change.abandon"
  | "run.push"
  | "operation.revert"
  | "operation.undo";

/** The user's edits of the graph. jj's own refusals are passed on with their remedy. */
function graphCommands(scope: CommandScope<Run>): EngineCommands<GraphCommand> {
  const { repository } = scope;
  const mark = () => ({ request: scope.newId(), actor: "hox" });
  return {
    async "change.describe"({ changeId, description }) {
      await changeToEdit(repository, changeId);
      await repository.describe(changeId, description, mark());
      await graphEdited(scope);
    },
    async "change.setMetadata"({ changeIds, patch }) {
      for (const changeId of changeIds) await changeToEdit(repository, changeId);
      const { status, ...others } = patch;
      const runs = scope.isInactive ? [] : scope.allGoing();
      const enqueue = (change: string, requested: NonNullable<typeof status>): boolean =>
        runs.some((run) => run.services.statusCommands.enqueue(change, requested));
      const patches = changeIds.map((change) => ({
        change,
        // Of a task that is being worked on its status is a command, which the run carries out.
        patch: status && enqueue(change, status) ? others : patch,
      }));
      const written = patches.filter(({ patch: left }) => Object.keys(left).length > 0);
      if (written.length === 0) return;
      await repository.setMetadata(written, mark());
      await graphEdited(scope);
    },
    async "change.rebase"({ changeId, onto }) {
      await changeToEdit(repository, changeId);
      const target = await changeNamed(repository, onto);
      if (await repository.isAncestor(changeId, target.commitId))
        throw new EngineRefusal(
          "A change can't be moved onto itself or onto its descendants.",
          "Choose a change that is not a descendant.",
        );
      const written = await amongAgents(scope, () =>
        repository.rebase({ source: changeId, onto: [onto], ...mark() }),
      );
      await graphEdited(scope);
      return written;
    },
    async "change.abandon"({ changeId }) {
      await changeToEdit(repository, changeId);
      const written = await amongAgents(scope, () => repository.abandon(changeId, mark()));
      await graphEdited(scope);
      return written;
    },
    async "run.push"({ bookmark, moves, notesTo }) {
      await repository.push(bookmark, moves, mark());
      if (notesTo !== undefined) await repository.pushNotes(notesTo);
      await graphEdited(scope);
    },
    async "operation.revert"({ operation }) {
      const landing = await landingBy(scope, operation);
      if (landing) return { ...(await scope.execute("run.undoLanding")), landing };
      const written = await amongAgents(scope, () =>
        scope.landings.during(() => repository.revertOperation(operation, mark())),
      );
      await graphEdited(scope);
      return written;
    },
    async "operation.undo"({ operation }) {
      const undone = await amongAgents(scope, async () => {
        const dependents = await findDependents(repository, operation);
        if (dependents.length > 0) return { kind: "refused", dependents } as const;
        const written = await scope.landings.during(() => repository.revertOperation(operation, mark()));
        return { kind: "undone", ...written } as const;
      });
      if (undone.kind === "undone") await graphEdited(scope);
      return undone;
    },
  };
}

type Reader = Pick<
  RunGraph["repository"],
  "operations" | "readPublishedDelta" | "changesOf" | "descendantsOf"
>;

/**
 * What would be torn from its ground, or be there twice, if an operation were undone.
 *
 * How far back an operation is looked for.
 */
const operationsRead = 2000;

/**
 * Changes that were rewritten since the operation, and those that were added on top of what it wrote. Without
 * any, the operation can be undone completely.
 * @throws EngineRefusal for an operation that is too old, or one that merged operations
 */
async function findDependents(repository: Reader, operation: string): Promise<readonly ChangeName[]> {
  const known = (await repository.operations({ limit: operationsRead })).find(({ id }) => id === operation);
  const [before, other] = known?.parents ?? [];
  if (before === undefined || other !== undefined)
    throw new EngineRefusal(
      "This operation can't be undone on its own.",
      "Find it in the operation list below the graph and undo its changes there.",
    );
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

/** What this operation landed, if it is the last landing and was not undone. */
async function landingBy(
  { repository, journal, shown }: CommandScope<Run>,
  operation: string,
): Promise<{ readonly bookmark: string; readonly to: string } | null> {
  const last = lastLanding(journal, shown());
  if (!last) return null;
  const known = (await repository.operations({ limit: operationsRead })).find(({ id }) => id === operation);
  const isIt = known?.request?.startsWith(`${last.id}/land`) ?? false;
  return isIt ? { bookmark: last.landed.bookmark, to: last.landed.move.to } : null;
}

/** Pauses agents at a turn boundary while their ancestors are rewritten, and updates their files. */
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
    announce(run);
  }
}

/** The user's edits of the graph, while a run's agents work on it. */
export const graphEdits: Feature<Run> = { name: "graph-edits", commands: graphCommands };
