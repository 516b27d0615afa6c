import { matchingLines } from "#shared/domain/text/occurrences.ts";
import type { WorkerJobs } from "./worker-jobs.ts";

export const findLines: WorkerJobs["findLines"] = (search) => {
  const begun = performance.now();
  const lines = matchingLines(search);
  return { lines, ms: performance.now() - begun };
};
