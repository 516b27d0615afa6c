/** The worker thread's file: parses untrusted input outside the host. */

import { readReport } from "#shared/domain/project/failure-report.ts";
import { findProject, packageFolders } from "#shared/domain/project/find-project.ts";
import { readTranscripts } from "./sessions/claude-sessions.ts";
import { findLines } from "./worker-thread/find-lines.ts";
import { serveJobs } from "./worker-thread/serve-jobs.ts";
import type { JobInput } from "./worker-thread/worker-jobs.ts";

serveJobs({
  readProject: (files: JobInput<"readProject">) => ({
    ...findProject(files),
    packageFolders: packageFolders(files),
  }),
  findLines,
  readReport,
  readTranscripts,
  // Loaded when it is asked for: it brings the whole engine, and the others need nothing of it.
  readRecording: async (bytes: JobInput<"readRecording">) =>
    (await import("./replay/open-recording-file.ts")).readRecordingInWorker(bytes),
  loop({ takesMemory, end }: JobInput<"loop">) {
    let taken: unknown = null;
    while (end === null || Atomics.load(end, 0) === 0) if (takesMemory) taken = { taken };
  },
});
