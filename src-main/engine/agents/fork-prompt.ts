/** How an agent begins that a person forked from a turn of somebody's conversation. */
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { ResumeToken } from "../../agent/agent-interface.ts";
import type { RunJournal, RunReader } from "../ports.ts";
import { originOf } from "../workers/attempts.ts";

/** What its first conversation begins with; null for who begins at the beginning. */
export function forkedFrom(run: RunReader & RunJournal, worker: string): ResumeToken | null {
  if (originOf(run, worker) === null) return null;
  const kept = run.journal.keptConversation(run.id, worker, 0);
  return kept === null || kept === "made-way" ? null : kept.token;
}

/**
 * Its first prompt says who it is from here on and what it finds, which the history before it may tell otherwise; then
 * how its task stands, as every prompt does.
 */
export function forkPrompt(
  run: RunReader,
  worker: string,
  iteration: number,
  standing: PromptText,
): PromptText {
  const origin = iteration === 1 ? originOf(run, worker) : null;
  if (origin === null) return standing;
  return prompt(
    promptLine`[FORK] A person forked this conversation here. What stands above was said and done by ${origin.worker}, which goes on by itself. From here on you are ${worker}: the task is the same, and you have a change and a workspace of your own.`,
    section("Your files", [quoteText(origin.files)]),
    section("The person says", origin.words === "" ? [] : [quoteText(origin.words)]),
    section("How things stand now", [standing]),
  );
}
