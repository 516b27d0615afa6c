/**
 * An agent that comes to nothing, says nothing, or cannot go on: whoever stands above it helps first, and asks further
 * up what it cannot settle, so that a person is asked last. (design section 4; HYLO-2, HYLO-14)
 */
import { z } from "zod";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import { questionShape } from "../../../orchestrators/answer-shapes.ts";
import { addressOf, person, sendMessage } from "../../../orchestrators/messages.ts";
import { askAndCarryOut } from "../../../orchestrators/orchestrator-replies.ts";
import { doAsAnswered, reply } from "../../../orchestrators/replies.ts";
import type { Run } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";

export const messageShape = z.strictObject({ text: z.string().min(1).max(10_000) });
export const reassignShape = z.strictObject({ brief: z.string().min(1).max(10_000) });

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
export async function askParent(run: Run, worker: string, need: Need): Promise<void> {
  const { key, event, text, lasts } = need;
  const parent = parentOf(run, worker);
  const answer = await askAndCarryOut(run, parent, {
    key,
    event,
    text: async () => (lasts() ? text() : null),
    inReplyTo: null,
  });
  if (answer === null) return;
  const say = (from: string, words: string) =>
    sendMessage(run, { key, from, to: addressOf(run, worker), type: "info", text: words });
  await doAsAnswered<unknown>(answer, {
    message_agent: reply(messageShape, (message) => say(parent, message.text)),
    reassign: reply(reassignShape, async ({ brief }) => {
      if (lasts())
        await run.step(`${key}/reassigned`, () =>
          run.services.reassignment.reassign(worker, { model: null, brief, by: parent }),
        );
    }),
    escalate: reply(questionShape, async (question) =>
      say(parent, await run.services.questions.askAbove({ key, from: parent, about: worker, ...question })),
    ),
    ask_user: reply(questionShape, async ({ question, options }) => {
      const decision = await run.inbox.ask(
        `${run.id}/${key}/user`,
        () => ({
          kind: "align-request",
          from: parent,
          question,
          options,
          changeId: run.worker(worker).record.changeId,
        }),
        run.runEnded.signal,
      );
      if (decision.kind === "answer") await say(person, decision.text);
    }),
  });
}
