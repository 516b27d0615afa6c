import type { Status } from "#shared/domain/graph-words/metadata.ts";
import { rankBetween } from "#shared/domain/graph-words/rank.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { EngineCommands } from "../kernel/commands.ts";

type GraphCommand =
  | "change.describe"
  | "change.setMetadata"
  | "queue.move"
  | "change.rebase"
  | "change.abandon"
  | "run.push"
  | "operation.revert";

/** What a person does to the graph by hand. jj's own refusals come through as they are, with their remedy. */
export function createIntents(options: {
  readonly repository: Repository;
  readonly newId: () => string;
  /** Lets no agent take a turn while what lies below it is rewritten, and brings its copy up to date. */
  readonly amongAgents: <T>(write: () => Promise<T>) => Promise<T>;
  /** Tells a run that is going on what is said of one of its tasks; false where it is none of its tasks. */
  readonly sayStatus: (changeId: string, status: Status) => boolean;
  /** The run's knowledge of the graph is out of date. */
  readonly changed: () => Promise<void>;
}): EngineCommands<GraphCommand> {
  const { repository } = options;
  const mark = () => ({ request: options.newId(), actor: "hox" });

  const one = async (changeId: string): Promise<Change> => {
    const found = await repository.query(changeId, { limit: 2 });
    const [only] = found;
    if (!only)
      throw new EngineRefusal(
        `There is no change ${changeId}.`,
        "It may have been abandoned; look at the graph again.",
      );
    if (found.length > 1)
      throw new EngineRefusal(
        `${changeId} is divergent: it names several commits.`,
        "Repair it with `jj converge`, or name one by its commit id.",
      );
    return only;
  };
  const mutable = async (changeId: string): Promise<Change> => {
    const change = await one(changeId);
    if (change.immutable)
      throw new EngineRefusal(
        `Change ${changeId.slice(0, 12)} is immutable: it is part of what others may rely on.`,
        "Make a new change on top of it instead.",
      );
    return change;
  };

  return {
    async "change.describe"({ changeId, description }) {
      await mutable(changeId);
      await repository.describe(changeId, description, mark());
      await options.changed();
    },
    async "change.setMetadata"({ changeIds, patch }) {
      for (const changeId of changeIds) await mutable(changeId);
      const { status, ...others } = patch;
      const patches = changeIds.map((change) => ({
        change,
        patch: status && options.sayStatus(change, status) ? others : patch,
      }));
      const written = patches.filter(({ patch }) => Object.keys(patch).length > 0);
      if (written.length === 0) return;
      await repository.setMetadata(written, mark());
      await options.changed();
    },
    async "queue.move"(move) {
      const moved = await mutable(move.changeId);
      if (moved.metadata.kind !== "task")
        throw new EngineRefusal("Only tasks stand in the queue.", "Choose a change of kind task.");
      const rankOf = async (changeId: string | null) =>
        changeId === null ? null : ((await one(changeId)).metadata.rank ?? null);
      const rank = rankBetween(await rankOf(move.above), await rankOf(move.below));
      await repository.setMetadata(
        [{ change: move.changeId, patch: { priority: move.priority, rank } }],
        mark(),
      );
      await options.changed();
    },
    async "change.rebase"({ changeId, onto }) {
      await mutable(changeId);
      const [target] = [await one(onto)];
      const [inside] = await repository.query(`${target.commitId} & ${changeId}::`, { limit: 1 });
      if (inside)
        throw new EngineRefusal(
          "A change cannot be moved onto itself or onto what stands on it.",
          "Choose a change that does not descend from it.",
        );
      await options.amongAgents(() => repository.rebase({ source: changeId, onto: [onto], ...mark() }));
      await options.changed();
    },
    async "change.abandon"({ changeId }) {
      await mutable(changeId);
      await options.amongAgents(() => repository.abandon(changeId, mark()));
      await options.changed();
    },
    async "run.push"({ bookmark, moves }) {
      await repository.push(bookmark, moves, mark());
      await options.changed();
    },
    async "operation.revert"({ operation }) {
      await options.amongAgents(() => repository.revertOperation(operation, mark()));
      await options.changed();
    },
  };
}
