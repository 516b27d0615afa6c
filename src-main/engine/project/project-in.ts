import type { ProjectFacts } from "#shared/domain/project/project-facts.ts";
import { readProject, readProjectFiles } from "../../checks/found-checks.ts";

/** What a folder is, as it stands on the disk. Nothing of it is run. */
export const projectIn = async (folder: string): Promise<ProjectFacts> =>
  readProject(await readProjectFiles(folder));
