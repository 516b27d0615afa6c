import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { JobInput, JobMessage, JobName, JobResult } from "./worker-jobs.ts";

/** A text of others needed more time or memory than any real one does. */
export class TextRefused extends Error {
  override readonly name = "TextRefused";
  readonly reason: "time" | "memory";
  readonly remedy: string;
  constructor(what: string, reason: "time" | "memory", limit: string) {
    super(`Could not read ${what}: it takes more than ${limit}.`);
    this.reason = reason;
    this.remedy =
      "The file may be crafted to slow Hox down. Check it for very long lines or repeated characters.";
  }
}

export interface JobLimits {
  /** What is read, as an error names it: "the project's files". */
  readonly what: string;
  /** Counted from when the thread begins the job. Default: 10 s. The host is not held up meanwhile. */
  readonly deadlineMs?: number;
  /** Of the heap. Default: 512 MB. */
  readonly maxMemoryMb?: number;
}

const defaultMemoryMb = 512;
/**
 * How often its memory is looked at. V8's own limit is twice as high: where one allocation goes beyond that, it ends the whole
 * process and not the thread.
 */
const meterMs = 50;
const defaultDeadlineMs = 10_000;

const own = fileURLToPath(import.meta.url);
/** Where the build puts the worker's file, seen from its files and from its chunks; or of the sources; or all is one file. */
const workerFile = (): string =>
  ["worker.js", "../worker.js", "../worker.ts"]
    .map((file) => join(dirname(own), file))
    .find((file) => existsSync(file)) ?? own;

/** One that has nothing to do, for the next job: starting a thread takes some 50 ms. */
let idle: Worker | null = null;

/**
 * Runs a job in another thread with a time limit. Untrusted texts are parsed there, so that no expression and
 * no library can block the host.
 *
 * @throws TextRefused at the deadline, or when the thread runs out of memory
 */
export async function runInWorker<Name extends JobName>(
  name: Name,
  input: JobInput<Name>,
  { what, deadlineMs = defaultDeadlineMs, maxMemoryMb = defaultMemoryMb }: JobLimits,
): Promise<JobResult<Name>> {
  const hasDefaultMemory = maxMemoryMb === defaultMemoryMb;
  const worker = (hasDefaultMemory ? idle : null) ?? startWorker(maxMemoryMb);
  if (hasDefaultMemory) idle = null;
  worker.ref();
  const timeUp = `${deadlineMs / 1000} s`;
  let timer: NodeJS.Timeout | undefined;
  let meter: NodeJS.Timeout | undefined;
  try {
    const result = await new Promise((resolve, reject) => {
      const refuseMemory = (): void => reject(new TextRefused(what, "memory", `${maxMemoryMb} MB of memory`));
      worker.on("message", (message: JobMessage) => {
        if (message.kind === "done") resolve(message.result);
        else if (message.kind === "failed") reject(new Error(message.message));
        // What arrived while this thread was busy is read before the time is up.
        else {
          timer = setTimeout(
            () => setImmediate(() => reject(new TextRefused(what, "time", timeUp))),
            deadlineMs,
          );
          meter = setInterval(
            () => void usesMoreThan(worker, maxMemoryMb).then((isTooMuch) => isTooMuch && refuseMemory()),
            meterMs,
          );
        }
      });
      worker.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "ERR_WORKER_OUT_OF_MEMORY" ? refuseMemory() : reject(error),
      );
      worker.on("exit", (code) => reject(new Error(`The thread that read ${what} ended with ${code}.`)));
      worker.postMessage({ name, input });
    });
    keep(worker, hasDefaultMemory);
    return result as JobResult<Name>;
  } catch (error) {
    void worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    clearInterval(meter);
    for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
    // Errors of a thread that is being ended do not matter.
    worker.on("error", () => {});
  }
}

const usesMoreThan = (worker: Worker, megabytes: number): Promise<boolean> =>
  worker.getHeapStatistics().then(
    ({ used_heap_size }) => used_heap_size > megabytes * 1024 * 1024,
    // It has ended.
    () => false,
  );

function startWorker(maxMemoryMb: number): Worker {
  return new Worker(workerFile(), {
    resourceLimits: { maxOldGenerationSizeMb: 2 * maxMemoryMb },
    execArgv: [],
  });
}

function keep(worker: Worker, hasDefaultMemory: boolean): void {
  if (!hasDefaultMemory || idle !== null) {
    void worker.terminate();
    return;
  }
  idle = worker;
  // The process ends when nothing else is left to do.
  worker.unref();
}
