/**
 * Orchestrators tell each other what they know: information only, for a decision that binds both comes from whoever
 * stands above both. Each message is a change like any other; who has read it is kept for each reader. (HOX-4.3)
 */

import type { MessageView } from "#shared/contract/views/message.ts";
import { matchesAddress } from "#shared/domain/graph-words/address.ts";
import { prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { markDelivered, markHandled, messagesFor, person } from "../../../orchestrators/messages.ts";
import { askOrchestrator, inTurn } from "../../../orchestrators/orchestrator.ts";
import type { Run, RunPlaces, RunReader } from "../../../ports.ts";
import { isActive } from "../../../workers/hierarchy.ts";
import { answerPerson } from "./answer-person.ts";

/** What an orchestrator has not been told yet, oldest first; nothing before it has begun and after it is through. */
export const unreadOf = (run: RunReader & RunPlaces, name: string): readonly MessageView[] =>
  isActive(run, name) && isToldAnything(run, name) && run.workspaces.of(name) !== null
    ? messagesFor(run, name).filter((message) => {
        const change = run.changes.get(message.changeId);
        return change === undefined ? isInformation(message, name) : informs(change, name);
      })
    : [];

/** Asked with every event of the run, so it looks at the graph as it was read last and nowhere else. */
const isToldAnything = (run: RunReader, name: string): boolean =>
  [...run.changes.values()].some((change) => informs(change, name)) ||
  run.facts.putAwayMessages.some((message) => isInformation(message, name));

const informs = ({ metadata: { kind, msgType, msgTo, replyTo } }: Change, name: string): boolean =>
  kind === "message" &&
  msgType !== undefined &&
  isInformation({ type: msgType, to: msgTo ?? "", ...(replyTo ? { replyTo } : {}) }, name);

/** What answers a question comes with the event that the question waits for. */
const isInformation = (
  { type, replyTo, to }: Pick<MessageView, "type" | "replyTo" | "to">,
  name: string,
): boolean =>
  type === "info" && replyTo === undefined && matchesAddress(to, { orchestrator: name, agent: null });

/**
 * Wakes an orchestrator with each message that it has not read. A message counts as read when the orchestrator has
 * answered, so after a crash it comes again; its answer is kept, so it is not thought about twice.
 */
export async function deliverToOrchestrator(run: Run, name: string): Promise<void> {
  for (let [next] = unreadOf(run, name); next; [next] = unreadOf(run, name)) {
    const message = next;
    // It has the message when its turn comes, and not while it still answers something else.
    const delivered = inTurn(run, name, async () => markDelivered(run, name, [message]));
    const answered =
      next.from === person
        ? answerPerson(run, name, next)
        : askOrchestrator(
            run,
            name,
            `message/${next.changeId}`,
            "message",
            prompt(promptLine`From ${next.from} to ${next.to}.`, section("Message", [quoteText(next.text)])),
          );
    await Promise.all([delivered, answered]);
    await markHandled(run, name, [next]);
  }
}
