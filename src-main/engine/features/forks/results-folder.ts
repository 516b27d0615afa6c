import { join } from "node:path";

/** Where the results of a run's forks are files of their own. */
export const resultsFolder = (stateFolder: string, run: string): string => join(stateFolder, "forks", run);
