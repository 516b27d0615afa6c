/** What a run that is over leaves on the graph and for Git: its work, and none of its scaffolding. */

import { assignmentBookmark } from "#shared/domain/graph-words/address.ts";
import { endOf } from "#shared/domain/run/stage-state.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import { allMessages } from "../../../orchestrators/messages.ts";
import type { RunGraph, RunReader, RunWriter } from "../../../ports.ts";

/**
 * Takes the assignments' branches and the messages away, and where the result has landed what of the run did not land.
 * All of it stays in jj's operation log, the messages in the run's record as well. Work that did not land stays.
 */
export async function tidyGraph(run: RunReader & RunWriter & RunGraph): Promise<void> {
  // Once taken away they cannot be read again.
  if (run.facts.messages === null) run.append({ kind: "MessagesArchived", messages: allMessages(run) });
  // What it is, a person has just taken it back to.
  if (endOf(run.state) === "restore") return;
  const names = [...run.workers.values()].flatMap(({ record: { name, parent } }) =>
    parent === null ? [] : [assignmentBookmark(parent, name)],
  );
  await run.repository.removeBranches(names, { actor: "hox" });
  const landed = run.facts.landing.landed?.move;
  const { repository } = run;
  await abandonScaffolding(
    repository,
    landed ? await repository.unlandedOf(run.id, landed.to) : await repository.messagesOf({ only: run.id }),
  );
}

/** Abandons what is left, where anything is. @returns how many changes */
export async function abandonScaffolding(
  repository: Repository,
  scaffolding: readonly Change[],
): Promise<number> {
  if (scaffolding.length > 0)
    await repository.abandon(
      scaffolding.map(({ commitId }) => commitId),
      { actor: "hox" },
    );
  return scaffolding.length;
}
