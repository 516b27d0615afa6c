/** Events at which an orchestrator may first make a decision or add to its plan, and then answers. */

import { z } from "zod";
import { inOneLine } from "#shared/domain/merge-request/merge-request.ts";
import { type PromptText, prompt, promptLine } from "#shared/domain/text/prompt-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import type { OrchestratorAnswer, OrchestratorEvent } from "../orchestrator-protocol.ts";
import type { Run } from "../ports.ts";
import { answeredApart, askOrchestrator } from "./orchestrator.ts";
import { handlerFor } from "./orchestrator-tools.ts";

export interface OrchestratorPrompt {
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly event: OrchestratorEvent;
  /** Built for each attempt, because a decision changes it; null when the answer is no longer needed. */
  readonly text: () => Promise<PromptText | null>;
  /** The message that led to it, for the graph. */
  readonly inReplyTo: string | null;
}

/**
 * Repeats an event until the answer is about the event itself. Other decisions or additions in an answer are
 * executed first, after the user's approval if required, and the event is repeated with their result.
 * @returns null when the answer is no longer needed
 */
export async function askAndExecute(
  run: Run,
  orchestrator: string,
  { key, event, text, inReplyTo }: OrchestratorPrompt,
): Promise<OrchestratorAnswer | null> {
  let before: readonly PromptText[] = [];
  for (let round = 1; ; round++) {
    const about = await text();
    if (about === null) return null;
    const step = round === 1 ? key : `${key}/${round}`;
    const reply = await askOrchestrator(run, orchestrator, step, event, prompt(...before, about));
    const execute = handlerFor(run, reply.tool);
    if (execute === null) return reply;
    const { reply: feedback } = await execute(run, {
      orchestrator,
      key: step,
      value: reply.value,
      inReplyTo,
    });
    // If the event is answered in a separate conversation, the next one reports it.
    if (answeredApart.has(event))
      run.append(...updatesFor(orchestrator, "children", [answerText(event, reply)]));
    before = [feedback, promptLine`The event still wants its answer:`];
  }
}

const answerText = (event: OrchestratorEvent, { tool, value }: OrchestratorAnswer): string =>
  inOneLine(`At [EVENT ${event}] you called ${tool} first: ${JSON.stringify(value)}`);

/** What one answer does. */
type Reply<Result> = (value: unknown) => Promise<Result>;

/** Reads an answer as its tool was made to write it. */
export const reply =
  <Value, Result>(shape: z.ZodType<Value>, then: (value: Value) => Promise<Result>): Reply<Result> =>
  (value) =>
    then(shape.parse(value));

/** Does what the answer says. A tool that is not in the table could not have answered the event. */
export function doAsAnswered<Result>(
  { tool, value }: OrchestratorAnswer,
  replies: Readonly<Record<string, Reply<Result>>>,
): Promise<Result> {
  const known = replies[tool];
  if (known) return known(value);
  throw new Error(`Internal error: no handler for the answer ${tool}. Please report this.`);
}

/** How an orchestrator answers a question, and asks one. */
export const answerShape = z.strictObject({
  agent: z.string().min(1).max(200),
  answer: z.string().min(1).max(20_000),
});
export const questionShape = z.strictObject({
  question: z.string().min(1).max(20_000),
  options: z.array(z.string().min(1).max(500)).max(8).default([]),
});
