/** Events at which an orchestrator may first decide something for everyone below it, and then answers what it was asked. */

import { mutationShape } from "../decisions/mutation-edits.ts";
import { decideMutation, outcomeWords } from "../decisions/mutations.ts";
import { prompt } from "../prompts.ts";
import type { Run } from "../run/run.ts";
import { askOrchestrator } from "./orchestrator.ts";
import type { OrchestratorAnswer, OrchestratorEvent } from "./orchestrator-events.ts";

export interface Occasion {
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly event: OrchestratorEvent;
  /** Told anew each time, because a decision changes what there is to tell; null when nobody needs an answer any more. */
  readonly text: () => Promise<string | null>;
  /** The message that led to it, for the graph. */
  readonly inReplyTo: string | null;
}

/**
 * Asks with an event until the answer is about the event itself. A decision that comes first is carried out, with a
 * person's yes where one is wanted, and the event is put again with what came of it.
 * @returns null when nobody needs an answer any more
 */
export async function askAndCarryOut(
  run: Run,
  orchestrator: string,
  { key, event, text, inReplyTo }: Occasion,
): Promise<OrchestratorAnswer | null> {
  let before: readonly string[] = [];
  for (let round = 1; ; round++) {
    const about = await text();
    if (about === null) return null;
    const step = round === 1 ? key : `${key}/${round}`;
    const reply = await askOrchestrator(run, orchestrator, step, event, [...before, about].join("\n\n"));
    if (reply.tool !== "propose_mutation") return reply;
    const outcome = await decideMutation(run, {
      orchestrator,
      key: step,
      proposal: mutationShape.parse(reply.value),
      inReplyTo,
    });
    before = [prompt(...outcomeWords(outcome)), "The event still wants its answer:"];
  }
}
