import { parentPort } from "node:worker_threads";
import type { JobMessage, JobRequest, WorkerJobs } from "./worker-jobs.ts";

/** Runs in the worker thread: does one job after the other. */
export function serveJobs(
  jobs: {
    readonly [Name in keyof WorkerJobs]?: (input: never) => unknown;
  },
): void {
  const tell = (message: JobMessage): void => parentPort?.postMessage(message);
  parentPort?.on("message", async ({ name, input }: JobRequest) => {
    tell({ kind: "begun" });
    try {
      tell({ kind: "done", result: await jobs[name]?.(input as never) });
    } catch (error) {
      tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  });
}
