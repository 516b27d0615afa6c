import { rankBetween } from "#shared/domain/graph-words/rank.ts";
import { EngineRefusal } from "../../engine-errors.ts";
import { changeNamed, changeToEdit } from "../../graph-sync/change-to-edit.ts";
import type { CommandScope, EngineCommands } from "../../kernel/commands.ts";
import { announce } from "../../orchestrators/messages.ts";
import type { Run } from "../../ports.ts";

/** A drag in the queue: another priority, and a place between two others. */
export const queueCommands = ({
  repository,
  newId,
  allGoing,
}: CommandScope<Run>): EngineCommands<"queue.move"> => ({
  async "queue.move"({ changeId, priority, above, below }) {
    const moved = await changeToEdit(repository, changeId);
    if (moved.metadata.kind !== "task")
      throw new EngineRefusal("Only tasks stand in the queue.", "Choose a change of kind task.");
    const rankOf = async (neighbour: string | null) =>
      neighbour === null ? null : ((await changeNamed(repository, neighbour)).metadata.rank ?? null);
    const rank = rankBetween(await rankOf(above), await rankOf(below));
    await repository.setMetadata([{ change: changeId, patch: { priority, rank } }], {
      request: newId(),
      actor: "hox",
    });
    for (const run of allGoing()) {
      await run.refreshChanges();
      run.slots.look();
      announce(run);
    }
  },
});
