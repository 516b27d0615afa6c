/** How an agent begins that goes on in somebody else's conversation: forked by a person, or inherited. */
import {
  type PromptText,
  prompt,
  promptLine,
  quoteText,
  resourceText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { loadPrompt } from "../../config/system-prompt.ts";
import type { RunReader } from "../ports.ts";
import { originOf } from "../workers/attempts.ts";
import { lenderOf } from "../workers/inherited-context.ts";

/**
 * Its first prompt says who it is from here on and what it finds, which the history before it may tell otherwise; then
 * how its task stands, as every prompt does.
 */
export function forkPrompt(
  run: RunReader,
  worker: string,
  iteration: number,
  current: PromptText,
): PromptText {
  if (iteration !== 1) return current;
  const origin = originOf(run, worker);
  if (origin === null) return inheritedPrompt(run, worker, current);
  return prompt(
    promptLine`[FORK] A person forked this conversation here. What stands above was said and done by ${origin.worker}, which goes on by itself. From here on you are ${worker}: the task is the same, and you have a change and a workspace of your own.`,
    section("Your files", [quoteText(origin.files)]),
    section("The person says", origin.words === "" ? [] : [quoteText(origin.words)]),
    section("How things stand now", [current]),
  );
}

/** Everything before it was said to its orchestrator, whose system prompt and tools it has for as long. */
function inheritedPrompt(run: RunReader, worker: string, current: PromptText): PromptText {
  const lender = lenderOf(run, worker, 1);
  if (lender === null) return current;
  return prompt(
    promptLine`[FORK] The conversation above is that of ${lender}, which goes on without you. From here on you are ${worker}: you do one task of its plan, in a change and a workspace of your own. Files may read otherwise there than above: read one before you write it.`,
    section("Your instructions from here on", [
      resourceText(loadPrompt("agent", { name: worker, role: worker })),
      promptLine``,
      promptLine`Tools that these do not name are for ${lender} and are refused.`,
    ]),
    section("How things stand now", [current]),
  );
}
