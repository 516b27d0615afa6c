/** What a person asks an archangel is part of its own conversation: it knows of it when it looks the next time. */
import { archangelOf, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { prompt } from "#shared/domain/text/prompt-text.ts";
import type { Conversation } from "../../../../agent/agent-interface.ts";
import { purposeText } from "../../../../config/archangel-purpose.ts";
import { systemPrompt } from "../../../../config/system-prompt.ts";
import { askInFork } from "../../../conversations/ask-in-fork.ts";
import { conversationFactory } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { PersonAnswer, PersonQuestion } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { archangelNamed } from "./due.ts";
import { whatArchangelKnows } from "./review-prompt.ts";
import { reviewTools } from "./review-tools.ts";

/** @returns null for a name that no archangel has */
export function answerPerson(run: Run, question: PersonQuestion): Promise<PersonAnswer> | null {
  const archangel = archangelNamed(run, archangelOf(question.who) ?? question.who);
  if (archangel === null) return null;
  const { name, isOn, purpose } = archangel;
  if (!isOn)
    throw new EngineRefusal(`The archangel ${name} is off.`, "Turn it on in the settings, then ask again.");
  const who = archangelWorker(name);
  const words = purposeText(purpose, run.repository.root);
  // Not while it looks at something: a conversation goes on in one place at a time.
  return run.serial.run(`archangel/${name}`, async () => {
    run.addWorker({
      name: who,
      role: "archangel",
      parent: rootOf(run),
      title: startOf(words.split("\n")[0] ?? name, 200),
    });
    const start = await conversationFactory(run, who, {
      system: systemPrompt("archangel", who, { purpose: words }),
      tools: reviewTools({ run, archangel: name, work: [] }),
      place: run.workspaces.home(),
      gate: () => null,
    });
    const history = run.journal.history(run.id, who);
    const origin = start({ token: history });
    const { token, ...answer } = await askInFork(
      run,
      { ...question, who },
      history ? origin : withSystemPrompt(run, origin),
    );
    // One that a review has begun and a pause has left open goes on as it was.
    if (run.journal.openConversation(run.id, who) === null) run.journal.setHistory(run.id, who, token);
    return answer;
  });
}

/** One that has looked at nothing yet is told what it would be told first. */
const withSystemPrompt = (run: Run, conversation: Conversation): Conversation => ({
  ...conversation,
  fork: (options) =>
    conversation.fork({ ...options, suffix: prompt(whatArchangelKnows(run), options.suffix) }),
});
