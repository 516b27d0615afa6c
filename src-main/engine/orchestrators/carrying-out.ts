/**
 * Events at which an orchestrator may first decide something for everyone below it, or add to its plan, and then answers
 * what it was asked.
 */

import { inOneLine } from "#shared/domain/fold-news.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/prompt-text.ts";
import { mutationShape } from "../decisions/mutation-edits.ts";
import { decideMutation, outcomeWords } from "../decisions/mutations.ts";
import { spawn } from "../planning/spawning.ts";
import type { Run } from "../ports.ts";
import { addNews } from "./news.ts";
import { askOrchestrator } from "./orchestrator.ts";
import { answeredApart, type OrchestratorAnswer, type OrchestratorEvent } from "./orchestrator-events.ts";
import { tasksOf } from "./spawn-tools.ts";

export interface Occasion {
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly event: OrchestratorEvent;
  /** Told anew each time, because a decision changes what there is to tell; null when nobody needs an answer any more. */
  readonly text: () => Promise<PromptText | null>;
  /** The message that led to it, for the graph. */
  readonly inReplyTo: string | null;
}

/**
 * Asks with an event until the answer is about the event itself. What it decides or adds first is carried out, with a
 * person's yes where one is wanted, and the event is put again with what came of it.
 * @returns null when nobody needs an answer any more
 */
export async function askAndCarryOut(
  run: Run,
  orchestrator: string,
  { key, event, text, inReplyTo }: Occasion,
): Promise<OrchestratorAnswer | null> {
  let before: readonly PromptText[] = [];
  for (let round = 1; ; round++) {
    const about = await text();
    if (about === null) return null;
    const step = round === 1 ? key : `${key}/${round}`;
    const reply = await askOrchestrator(run, orchestrator, step, event, prompt(...before, about));
    const outcome = await carriedOut(run, orchestrator, step, reply, inReplyTo);
    if (outcome === null) return reply;
    // Where the event is answered apart, the next one has to tell of it.
    if (answeredApart.has(event)) addNews(run, orchestrator, "children", [wordsOf(event, reply)]);
    before = [outcome, promptLine`The event still wants its answer:`];
  }
}

const wordsOf = (event: OrchestratorEvent, { tool, value }: OrchestratorAnswer): string =>
  inOneLine(`At [EVENT ${event}] you called ${tool} first: ${JSON.stringify(value)}`);

/** What came of an answer that is no answer to the event yet; null for one that is. */
async function carriedOut(
  run: Run,
  orchestrator: string,
  key: string,
  { tool, value }: OrchestratorAnswer,
  inReplyTo: string | null,
): Promise<PromptText | null> {
  switch (tool) {
    case "propose_mutation": {
      const proposal = mutationShape.parse(value);
      return prompt(...outcomeWords(await decideMutation(run, { orchestrator, key, proposal, inReplyTo })));
    }
    case "spawn_workers":
    case "spawn_subtree": {
      const outcome = await spawn(run, { orchestrator, key, ...tasksOf(run, orchestrator, tool, value) });
      return outcome.added
        ? section(
            "Added to your plan",
            outcome.workers.map(({ task, worker }) => promptLine`- ${task}: ${worker}`),
          )
        : prompt(promptLine`Nothing was added to your plan.`, section("Why", [quoteText(outcome.reason)]));
    }
    default:
      return null;
  }
}
