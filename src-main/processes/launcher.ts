import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../config/child-environment.ts";
import type { FromLauncher, ToLauncher } from "./launcher-interface.ts";
import { type Program, type ProgramEnd, startProgram } from "./start-program.ts";

/** Hears of a program that was started. */
export interface Listener {
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
  /** Called once, last. */
  readonly onEnd: (end: ProgramEnd) => void;
}

export interface StartedProgram {
  kill(signal: NodeJS.Signals): void;
}

/** Whoever starts fewer needs no helper for it: a command that looks at something and ends. */
const startsByItself = 16;

const launcherFile = fileURLToPath(new URL("launcher-main.ts", import.meta.url));
/** Windows copies nothing, and a packaged app has no Node of its own to run a helper with. */
const canHaveLauncher =
  process.platform !== "win32" && process.versions.electron === undefined && existsSync(launcherFile);

let started = 0;
let launcher: Launcher | null = null;

/** Starts a program: in this process, or through a helper when there have been many and there can be one. */
export function launch(program: Program, listener: Listener): StartedProgram {
  started += 1;
  if (canHaveLauncher && started > startsByItself)
    launcher ??= startLauncher(() => {
      launcher = null;
    });
  return launcher?.isReady() ? launcher.start(program, listener) : startHere(program, listener);
}

function startHere(program: Program, { onStdout, onStderr, onEnd }: Listener): StartedProgram {
  const child = startProgram(program, onEnd);
  child?.stdout?.on("data", onStdout);
  child?.stderr?.on("data", onStderr);
  return { kill: (signal) => child?.kill(signal) };
}

interface Launcher {
  isReady(): boolean;
  start(program: Program, listener: Listener): StartedProgram;
}

interface Started {
  readonly listener: Listener;
  pid: number | null;
}

/** @param onEnd the helper is gone, with all that it was to tell */
function startLauncher(onEnd: () => void): Launcher {
  const programs = new Map<number, Started>();
  let ids = 0;
  let ready = false;
  // A group of its own: what a terminal tells its programs must not end what the host still needs to save.
  const helper = fork(launcherFile, [], {
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
    // Told by the failure and by the end; by then there may be another one.
    if (isGone) return;
    isGone = true;
    ready = false;
    onEnd();
    const left = [...programs.values()];
    programs.clear();
    for (const { pid, listener } of left) {
      // Nobody hears any more what it does: whoever asked for it asks again.
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
    isReady: () => ready && isThere(helper),
    start(program, listener) {
      ids += 1;
      const id = ids;
      programs.set(id, { listener, pid: null });
      hold();
      say({ kind: "start", id, program });
      return {
        kill(signal) {
          if (programs.has(id)) say({ kind: "kill", id, signal });
        },
      };
    },
  };
}

const isThere = (helper: ChildProcess): boolean => helper.connected;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
