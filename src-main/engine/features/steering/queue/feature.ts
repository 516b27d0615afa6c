import { ranksBetween } from "#shared/domain/change-metadata/rank.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { changeNamed, changeToEdit } from "../../../graph-sync/read-change.ts";
import { actorOf } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";

/** The order of tasks: the user's drag sets a priority, in the plan, and a rank, in the task's change. */
export const queue: Feature<Run> = {
  name: "queue",
  commands: ({ repository, newId, allGoing }) => ({
    /** A drag in the queue: another priority, and a place between two others. */
    async "queue.move"({ changeId, priority, above, below, unranked }, by) {
      const moved = await changeToEdit(repository, changeId);
      if (moved.metadata.kind !== "task")
        throw new EngineRefusal("Only tasks can be moved in the queue.", "Choose a task.");
      const rankOf = async (neighbour: string | null) =>
        neighbour === null ? null : ((await changeNamed(repository, neighbour)).metadata.rank ?? null);
      const ranks = ranksBetween(await rankOf(above), await rankOf(below), unranked.length + 1);
      const patches = [
        ...unranked.map((change) => ({ change, patch: {} })),
        { change: changeId, patch: { priority } },
      ];
      const { operation } = await repository.setMetadata(
        patches.map(({ change, patch }, at) => ({ change, patch: { ...patch, rank: ranks[at] ?? null } })),
        { request: newId(), actor: actorOf(by) },
      );
      for (const run of allGoing()) {
        await run.refreshChanges();
        run.slots.look();
        run.changed();
      }
      return { operation };
    },
  }),
  onGraph: (run) => () => {
    for (const { record } of run.workers.values()) {
      const change = record.task === null ? undefined : run.changes.get(record.changeId ?? "");
      if (change) run.append({ kind: "RankChanged", worker: record.name, rank: change.metadata.rank ?? "" });
    }
    run.slots.look();
  },
};
