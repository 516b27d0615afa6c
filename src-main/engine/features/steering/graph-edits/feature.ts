import type { EngineCommands } from "#shared/contract/commands.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { changeNamed, changeToEdit } from "../../../graph-sync/change-to-edit.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { enqueueStatusCommand } from "../status-commands/status-commands.ts";
import { amongAgents, graphEdited } from "./edit-among-agents.ts";
import { undoOperation } from "./undo-operation.ts";

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
  const mark = () => ({ request: scope.newId(), actor: "hox" });
  return {
    async "change.describe"({ changeId, description }) {
      await changeToEdit(repository, changeId);
      const { operation } = await repository.describe(changeId, description, mark());
      await graphEdited(scope);
      return { operation };
    },
    async "change.setMetadata"({ changeIds, patch }) {
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
      const { operation } = await repository.setMetadata(written, mark());
      await graphEdited(scope);
      return { operation };
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
      return { operation: await repository.currentOperation() };
    },
    "operation.undo": ({ operation, force }) => undoOperation(scope, operation, force),
  };
}

/** The user's edits of the graph, while a run's agents work on it. */
export const graphEdits: Feature<Run> = { name: "graph-edits", commands: graphCommands };
