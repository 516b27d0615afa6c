import type { PrintedReport } from "#shared/domain/project/failure-report.ts";
import type { BaseOutcome } from "#shared/domain/project/preflight.ts";
import type { ProjectFacts, ProjectFiles } from "#shared/domain/project/project-facts.ts";
import type { LineSearch, MatchingLine } from "#shared/domain/text/occurrences.ts";

/** What a project's files say. */
export interface ReadProject extends ProjectFacts {
  /** Folders in which packages can be installed; see `packageFolders`. */
  readonly packageFolders: readonly string[];
}

/** What runs in a worker thread, by name. Inputs and results are copied, so they are plain data. */
export interface WorkerJobs {
  readProject(files: ProjectFiles): ReadProject;
  /** `ms`: how long it took, without waiting for a thread. */
  findLines(search: LineSearch): {
    readonly lines: readonly (readonly MatchingLine[])[];
    readonly ms: number;
  };
  readReport(report: PrintedReport): BaseOutcome;
  /** Facts of transcripts; their shape is the business of `sessions`, which both asks and answers. */
  readTranscripts(input: {
    readonly home: string;
    readonly userHome: string;
    readonly texts: readonly { readonly begin: string; readonly end: string }[];
  }): unknown;
  /** A recording, or why it is refused; their shape is the business of `replay`. */
  readRecording(bytes: Uint8Array): unknown;
  /** Runs until the first element of `end` is set, or for ever, and may take ever more memory; tests see by it what ends a job. */
  loop(input: { readonly takesMemory: boolean; readonly end: Int32Array<SharedArrayBuffer> | null }): void;
}

export type JobName = keyof WorkerJobs;
export type JobInput<Name extends JobName> = Parameters<WorkerJobs[Name]>[0];
export type JobResult<Name extends JobName> = ReturnType<WorkerJobs[Name]>;

/** The messages between the two threads. */
export interface JobRequest {
  readonly name: JobName;
  readonly input: unknown;
}
export type JobMessage =
  | { readonly kind: "begun" }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "failed"; readonly message: string };
