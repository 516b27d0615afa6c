import { readFileSync } from "node:fs";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { resourcePath } from "../config/resources-folder.ts";

/**
 * The text that the agents of a rehearsal write to a file of their project.
 * @param path below `resources/rehearsal/<name>/written`, as in the project
 */
export const writtenFile = (rehearsal: string, path: string): string =>
  readFileSync(resourcePath("rehearsal", rehearsal, "written", ...path.split("/")), "utf8");

/** What an orchestrator of a rehearsal proposes; the root's is `plan`. */
export const writtenPlan = (rehearsal: string, name = "plan"): Plan =>
  JSON.parse(readFileSync(resourcePath("rehearsal", rehearsal, `${name}.json`), "utf8")) as Plan;

/** The text of a pattern that a rehearsal proposes. */
export const writtenPattern = (rehearsal: string, name: string): string =>
  readFileSync(resourcePath("rehearsal", rehearsal, `pattern-${name}.md`), "utf8");
