/**
 * An agent that comes to nothing, says nothing, or cannot go on: whoever stands above it helps first, and asks further
 * up what it cannot settle, so that a person is asked last. (design section 4; HYLO-2, HYLO-14)
 */
import type { PromptText } from "#shared/domain/prompt-text.ts";
import type { Run } from "../ports.ts";
import { reassign } from "../steering/reassign.ts";
import { askAbove } from "./align.ts";
import { askAndCarryOut } from "./carrying-out.ts";
import { parentOf } from "./chain-of-command.ts";
import { addressOf, person, sendMessage } from "./messages.ts";
import { messageShape, questionShape, reassignShape } from "./orchestrator-events.ts";

export interface Need {
  /** The same after a restart; unique among the needs of the run. */
  readonly key: string;
  readonly event: "child stalled" | "child silent" | "child blocked";
  readonly text: () => PromptText;
  /** False once it has passed by itself, or a person has seen to it. */
  readonly lasts: () => boolean;
}

/**
 * Lets the parent see to it: a word to the agent, a fresh agent, a decision for all, or a question to whoever is above.
 * Safe to repeat.
 * @throws EngineRefusal when the agent's task cannot be given to another
 */
export async function letParentHelp(run: Run, worker: string, need: Need): Promise<void> {
  const { key, event, text, lasts } = need;
  const parent = parentOf(run, worker);
  const reply = await askAndCarryOut(run, parent, {
    key,
    event,
    text: async () => (lasts() ? text() : null),
    inReplyTo: null,
  });
  if (reply === null) return;
  const say = (from: string, words: string) =>
    sendMessage(run, { key, from, to: addressOf(run, worker), type: "info", text: words });
  switch (reply.tool) {
    case "message_agent":
      await say(parent, messageShape.parse(reply.value).text);
      return;
    case "reassign": {
      const { brief } = reassignShape.parse(reply.value);
      if (lasts())
        await run.step(`${key}/reassigned`, () => reassign(run, worker, { model: null, brief, by: parent }));
      return;
    }
    case "escalate": {
      const { question, options } = questionShape.parse(reply.value);
      await say(parent, await askAbove(run, { key, from: parent, about: worker, question, options }));
      return;
    }
    default: {
      const { question, options } = questionShape.parse(reply.value);
      const decision = await run.inbox.ask(
        `${run.id}/${key}/user`,
        () => ({
          kind: "align-request",
          from: parent,
          question,
          options,
          changeId: run.worker(worker).record.changeId,
        }),
        run.ending.signal,
      );
      if (decision.kind === "answer") await say(person, decision.text);
    }
  }
}
