import { type Listener, launch } from "./launcher.ts";
import type { Program, ProgramEnd } from "./start-program.ts";

export interface ProgramToRun extends Program {
  /** When it takes longer it is told to end. */
  readonly timeoutMs: number;
  /** Aborting tells it to end. */
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramResult extends ProgramEnd {
  readonly stderr: string;
  readonly isTimedOut: boolean;
  readonly isCancelled: boolean;
}

/** What does not hear that it is to end is killed. */
const forceAfterMs = 2_000;

const nothingRan = { exitCode: null, signal: null, error: null, stderr: "", isTimedOut: false };

/**
 * Runs a program outside the sandbox to its end.
 * @param onOutput gets what it prints as it comes; false: enough was heard, and it is told to end
 */
export function runProgram(
  { timeoutMs, signal, ...program }: ProgramToRun,
  // biome-ignore lint/suspicious/noConfusingVoidType: most listeners hear all of it and answer nothing.
  onOutput: (bytes: Uint8Array) => boolean | void,
): Promise<ProgramResult> {
  if (signal?.aborted) return Promise.resolve({ ...nothingRan, isCancelled: true });
  return new Promise((resolve, reject) => {
    const stderr: Uint8Array[] = [];
    let isTimedOut = false;
    let isCancelled = false;
    let failure: { readonly error: unknown } | null = null;
    let forcing: NodeJS.Timeout | undefined;
    const end = (): void => {
      started.kill("SIGTERM");
      forcing ??= setTimeout(() => started.kill("SIGKILL"), forceAfterMs);
    };
    const listener: Listener = {
      onStdout(bytes) {
        if (failure) return;
        try {
          if (onOutput(bytes) === false) end();
        } catch (error) {
          failure = { error };
          end();
        }
      },
      onStderr: (bytes) => void stderr.push(bytes),
      onEnd(ended) {
        clearTimeout(timer);
        clearTimeout(forcing);
        signal?.removeEventListener("abort", cancel);
        if (failure) reject(failure.error);
        else resolve({ ...ended, stderr: Buffer.concat(stderr).toString("utf8"), isTimedOut, isCancelled });
      },
    };
    const cancel = (): void => {
      isCancelled = true;
      end();
    };
    const timer = setTimeout(() => {
      isTimedOut = true;
      end();
    }, timeoutMs);
    signal?.addEventListener("abort", cancel, { once: true });
    const started = launch(program, listener);
  });
}
