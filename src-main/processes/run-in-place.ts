/** A program that runs in place of this one: its input and output are ours, signals reach it, its exit code becomes ours. */
import { spawn } from "node:child_process";
import { constants } from "node:os";

const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Says to a program that the one who started it starts the next one, too: whatever else started it does not. */
const starterVariable = "HOX_STARTER";

interface Ended {
  readonly code: number;
  /** The program that it asks for in its place. */
  readonly next: string | null;
}

/** Lets a program run with the arguments of this one, and ends with its exit code. */
export async function startInPlace(program: string): Promise<number> {
  if (isStartedInPlace()) {
    await new Promise<unknown>((resolve) => process.send?.({ next: program }, resolve));
    return 0;
  }
  for (let file = program; ; ) {
    const { code, next } = await runToEnd(file);
    if (next === null) return code;
    file = next;
  }
}

const isStartedInPlace = (): boolean =>
  process.connected && process.env[starterVariable] === String(process.ppid);

/** Ends a program that was started in place of another once that is gone. */
export function onStarterGone(end: () => void): void {
  if (isStartedInPlace()) process.once("disconnect", end);
}

function runToEnd(file: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, file, ...process.argv.slice(2)], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, [starterVariable]: String(process.pid) },
    });
    let next: string | null = null;
    child.on("message", (message: { readonly next?: unknown }) => {
      if (typeof message.next === "string") next = message.next;
    });
    // What a terminal sends reaches both; so soon, the program takes it for the same wish.
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of endSignals) process.on(signal, pass);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      for (const each of endSignals) process.off(each, pass);
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), next });
    });
  });
}
