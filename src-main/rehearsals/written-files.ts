import { readFileSync } from "node:fs";
import { resourcePath } from "../config/resources-folder.ts";

/**
 * The text that the agents of a rehearsal write to a file of their project.
 * @param path below `resources/rehearsal/<name>/written`, as in the project
 */
export const writtenFile = (rehearsal: string, path: string): string =>
  readFileSync(resourcePath("rehearsal", rehearsal, "written", ...path.split("/")), "utf8");
