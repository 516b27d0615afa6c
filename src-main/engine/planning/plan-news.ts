/** What a person changed about a plan, on its way to the orchestrator whose plan it is. */
import { addNews } from "../orchestrators/news.ts";
import type { Run } from "../ports.ts";

/** @param lines what the user did, as in `adds the task "docs"` */
export const addPlanNews = (run: Run, orchestrator: string, lines: readonly string[]): void =>
  addNews(run, orchestrator, "plan", lines);
