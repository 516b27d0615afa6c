/** A person's word to an orchestrator: it acts on it, and what it says comes back to the person. (HOX-4.2, HYLO-2) */

import { z } from "zod";
import type { MessageView } from "#shared/contract/views/message.ts";
import { prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { person, sendMessage, setHandled } from "../../../orchestrators/messages.ts";
import { askAndCarryOut } from "../../../orchestrators/orchestrator-replies.ts";
import type { Run } from "../../../ports.ts";

const answerShape = z.looseObject({ summary: z.string() });

/** Safe to repeat: what was decided, answered and told is kept under the message. */
export async function answerPerson(run: Run, name: string, message: MessageView): Promise<void> {
  const { changeId, text, to } = message;
  const key = `message/${changeId}`;
  const words = prompt(promptLine`The user writes to ${to}.`, section("Message", [quoteText(text)]));
  const reply = await askAndCarryOut(run, name, {
    key,
    event: "user message",
    text: async () => words,
    inReplyTo: changeId,
  });
  const { summary } = answerShape.parse(reply?.value);
  const answer = await sendMessage(run, {
    key: `${key}/answer/${name}`,
    from: name,
    to: person,
    type: "info",
    text: summary,
    replyTo: changeId,
  });
  await run.step(`${key}/answered/${name}`, async () => {
    // Nobody among the workers reads it; the person does, on screen.
    await setHandled(run, [answer]);
    run.emit({ kind: "notice", level: "info", text: `${name} answers you: ${summary}`, remedy: null });
    return true;
  });
}
