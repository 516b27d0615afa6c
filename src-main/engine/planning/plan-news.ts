/** What a person changed about a plan, on its way to the orchestrator: told with its next event, by no request of its own. */
import { scoped } from "../orchestrators/chain-of-command.ts";
import { section } from "../prompts.ts";
import type { Run } from "../run/run.ts";

const factOf = (orchestrator: string): string => scoped(orchestrator, "plan-news");

/** Lines that the orchestrator has not been told, oldest first. */
export const planNews = (run: Run, orchestrator: string): readonly string[] =>
  run.journal.fact<readonly string[]>(run.id, factOf(orchestrator)) ?? [];

export function addPlanNews(run: Run, orchestrator: string, lines: readonly string[]): void {
  if (lines.length > 0)
    run.journal.setFact(run.id, factOf(orchestrator), [...planNews(run, orchestrator), ...lines]);
}

/** The answer to an event that told so many lines is kept, so they were read. */
export function forgetPlanNews(run: Run, orchestrator: string, told: number): void {
  if (told > 0) run.journal.setFact(run.id, factOf(orchestrator), planNews(run, orchestrator).slice(told));
}

/** The part of a prompt that tells them; empty without news. */
export const planNewsSection = (news: readonly string[]): string =>
  section(
    "The plan has changed",
    news.map((line) => `- The user ${line}.`),
  );
