/** The user's changes to a plan, as updates for its orchestrator. */
import type { NewsEvent } from "#shared/domain/news/news-events.ts";
import { newsFor } from "#shared/domain/news/news-events.ts";

/** @param lines what the user did, as in `adds the task "docs"` */
export const planNews = (orchestrator: string, lines: readonly string[]): readonly NewsEvent[] =>
  newsFor(orchestrator, "plan", lines);
