/**
 * Messages that everybody has read are taken from the graph before they bury the work; the run's record keeps each of
 * them, and whoever comes later is told it from there. (HOX-4.2)
 */
import type { MessageView } from "#shared/contract/views/message.ts";
import type { Change } from "#shared/graph/change.ts";
import { allMessages, announce, messageView } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";

/** Read ones on the graph: with more than `most` the oldest go, until `kept` are left. */
export const readOnGraph = { most: 24, kept: 12 };

export interface ToPutAway {
  /** To be kept in the record first. */
  readonly messages: readonly MessageView[];
  /** To be abandoned: these, and what a host that died between the two left behind. */
  readonly changes: readonly Change[];
}

/** Nothing while there are few. */
export function messagesToPutAway({ id, changes, facts }: RunReader): ToPutAway {
  const kept = new Set(facts.putAwayMessages.map(({ changeId }) => changeId));
  const open = [...changes.values()].filter(
    ({ metadata }) => metadata.kind === "message" && metadata.run === id,
  );
  const left = open.filter(({ changeId }) => kept.has(changeId));
  const carriers = new Set([...changes.values()].flatMap(({ parents }) => parents));
  const read = open.filter(
    ({ changeId, commitId, metadata }) =>
      metadata.status === "done" && !kept.has(changeId) && !carriers.has(commitId),
  );
  if (read.length <= readOnGraph.most) return { messages: [], changes: left };
  const oldest = read
    .toSorted(
      (one, other) => sentAt(facts, one) - sentAt(facts, other) || (one.changeId < other.changeId ? -1 : 1),
    )
    .slice(0, read.length - readOnGraph.kept);
  return {
    messages: oldest.map((change) => messageView(change, facts.messagesSentAt)),
    changes: [...left, ...oldest],
  };
}

const sentAt = ({ messagesSentAt }: RunReader["facts"], { changeId, timestamp }: Change): number =>
  messagesSentAt[changeId] ?? timestamp;

/** The record first: a death in between leaves changes that go the next time. */
export async function putAwayMessages(run: Run): Promise<void> {
  const { messages, changes } = messagesToPutAway(run);
  if (changes.length === 0) return;
  if (messages.length > 0) run.append({ kind: "MessagesPutAway", messages });
  const before = allMessages(run).length;
  await run.repository.abandon(
    changes.map(({ commitId }) => commitId),
    { actor: "hox" },
  );
  await run.refreshChanges();
  if (allMessages(run).length < before) throw new Error("A message that is not in the journal was removed.");
  announce(run);
}
