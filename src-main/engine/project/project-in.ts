import type { ProjectFacts } from "#shared/domain/project/project-facts.ts";
import { readProject, readProjectFiles } from "../../checks/found-checks.ts";

/** What kind of project is in a folder on disk. Runs nothing. */
export const projectIn = async (folder: string): Promise<ProjectFacts> =>
  readProject(await readProjectFiles(folder));
