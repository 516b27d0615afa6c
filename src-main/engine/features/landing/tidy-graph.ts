/** What a run that is over leaves on the graph and for Git: its work, and none of its scaffolding. */

import { assignmentBookmark } from "#shared/domain/graph-words/address.ts";
import type { Repository } from "../../../jj/repository-interface.ts";
import { runRevset } from "../../graph-sync/run-revset.ts";
import { allMessages } from "../../orchestrators/messages.ts";
import type { RunGraph, RunReader, RunWriter } from "../../ports.ts";

/**
 * Takes the assignments' branches and the messages away, and where the result has landed what of the run did not land.
 * All of it stays in jj's operation log, the messages in the run's record as well. Work that did not land stays.
 */
export async function tidyGraph(run: RunReader & RunWriter & RunGraph): Promise<void> {
  // Once taken away they cannot be read again.
  if (run.facts.messages === null) run.append({ kind: "MessagesArchived", messages: allMessages(run) });
  const names = [...run.workers.values()].flatMap(({ record: { name, parent } }) =>
    parent === null ? [] : [assignmentBookmark(parent, name)],
  );
  await run.repository.removeBranches(names, { actor: "hox" });
  const { landed } = run.facts.landing;
  await abandonScaffolding(
    run.repository,
    !landed?.move
      ? messagesIn(runRevset(run))
      : // What a branch holds is somebody's: learned patterns among it.
        `(${runRevset(run)}) ~ ::${landed.move.to} ~ ::bookmarks()`,
  );
}

/** Messages hold no file, and nothing stands on them. */
export const messagesIn = (revset: string): string =>
  `((${revset}) & description(regex:"(?m)^Hox-Kind: message$")) & empty() ~ parents(all())`;

export async function abandonScaffolding(repository: Repository, revset: string): Promise<number> {
  const gone = await repository.query(`(${revset}) & mutable() ~ working_copies()`);
  if (gone.length === 0) return 0;
  await repository.abandon(gone.map(({ commitId }) => commitId).join(" | "), { actor: "hox" });
  return gone.length;
}
