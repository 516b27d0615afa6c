import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../config/child-environment.ts";
import type { FromLauncher, ToLauncher } from "./launcher-interface.ts";
import { type Program, type ProgramEnd, startProgram } from "./start-program.ts";

export interface ProgramToRun extends Program {
  /** After this time it is terminated. */
  readonly timeoutMs: number;
  /** Aborting terminates it. */
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
 * @param onOutput gets its output as it comes; returning false terminates it
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
      stop("SIGTERM");
      forcing ??= setTimeout(() => stop("SIGKILL"), forceAfterMs);
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
    const stop = launch(program, listener);
  });
}

/** Hears of a program that was started. */
interface Listener {
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
  /** Called once, last. */
  readonly onEnd: (end: ProgramEnd) => void;
}

/** Whoever starts fewer needs no helper for it: a command that looks at something and ends. */
const startsByItself = 16;

/** In the sources and in a build. */
const launcherFile = ["launcher-main.ts", "../launcher.js"]
  .map((file) => fileURLToPath(new URL(file, import.meta.url)))
  .find((file) => existsSync(file));
/** Null on Windows, which does not fork, and in Electron, which has no separate Node to run a helper with. */
const usableLauncher =
  process.platform === "win32" || process.versions.electron !== undefined ? null : (launcherFile ?? null);

let started = 0;
let launcher: Launcher | null = null;

/** Starts a program: in this process, or through a helper when there have been many and there can be one. */
function launch(program: Program, listener: Listener): Kill {
  started += 1;
  if (usableLauncher !== null && started > startsByItself)
    launcher ??= startLauncher(usableLauncher, () => {
      launcher = null;
    });
  return launcher?.isReady() ? launcher.start(program, listener) : startHere(program, listener);
}

function startHere(program: Program, { onStdout, onStderr, onEnd }: Listener): Kill {
  const child = startProgram(program, onEnd);
  child?.stdout?.on("data", onStdout);
  child?.stderr?.on("data", onStderr);
  return (signal) => void child?.kill(signal);
}

/** Sends a signal to a program that was started. */
type Kill = (signal: NodeJS.Signals) => void;

type Launcher = ReturnType<typeof startLauncher>;

interface Started {
  readonly listener: Listener;
  pid: number | null;
}

/** @param onEnd the helper is gone, and all its messages have arrived */
function startLauncher(file: string, onEnd: () => void) {
  const programs = new Map<number, Started>();
  let ids = 0;
  let ready = false;
  // A separate process group: a terminal's signals must not end what the host still needs for saving.
  const helper = fork(file, [], {
    execArgv: [],
    env: childEnvironment(),
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  helper.unref();
  const say = (message: ToLauncher): void => {
    helper.send(message, (error) => {
      if (error) gone();
    });
  };
  /** The host stays while something runs, and goes when nothing does. */
  const hold = (): void => {
    if (programs.size > 0) helper.channel?.ref();
    else helper.channel?.unref();
  };
  let isGone = false;
  const gone = (): void => {
    // Called by the failure and by the end; by then there may be another one.
    if (isGone) return;
    isGone = true;
    ready = false;
    onEnd();
    const left = [...programs.values()];
    programs.clear();
    for (const { pid, listener } of left) {
      // Its output cannot be delivered any more; the caller retries.
      if (pid !== null) kill(pid);
      listener.onEnd({ exitCode: null, signal: "SIGKILL", error: null });
    }
  };
  helper.once("error", gone);
  helper.once("exit", gone);
  helper.on("message", (message: FromLauncher) => {
    if (message.kind === "ready") {
      ready = true;
      return hold();
    }
    const program = programs.get(message.id);
    if (!program) return;
    switch (message.kind) {
      case "started":
        program.pid = message.pid;
        break;
      case "stdout":
        program.listener.onStdout(message.bytes);
        break;
      case "stderr":
        program.listener.onStderr(message.bytes);
        break;
      case "end":
        programs.delete(message.id);
        hold();
        program.listener.onEnd(message.end);
    }
  });
  return {
    isReady: () => ready && helper.connected,
    start(program: Program, listener: Listener): Kill {
      ids += 1;
      const id = ids;
      programs.set(id, { listener, pid: null });
      hold();
      say({ kind: "start", id, program });
      return (signal) => {
        if (programs.has(id)) say({ kind: "kill", id, signal });
      };
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
