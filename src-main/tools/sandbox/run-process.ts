import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Redactor } from "../redact.ts";
import type { CommandResult } from "../tool-interface.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { withoutInherited } from "./inherited-descriptors.ts";

export interface ProcessToRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly logFolder?: string | undefined;
  /** Watches the running tree; its call to `kill` counts as a failure of the command, with this reason. */
  readonly watch?: (pid: number, kill: (reason: string) => void) => () => void;
}

/** Runs one program to its end, its time limit or its cancel, and leaves no process of it behind. */
export function runProcess(options: ProcessToRun): Promise<Omit<CommandResult, "restored">> {
  const begun = performance.now();
  const output = new BoundedOutput(options.redactor, options.onOutput, options.logFolder);
  const ms = (): number => Math.round(performance.now() - begun);
  const cancelled = { outcome: "cancelled", exitCode: null, output: "", bytes: 0, ms: 0, log: null } as const;
  if (options.signal.aborted) return Promise.resolve(cancelled);

  return new Promise((resolve, reject) => {
    // A group of its own, so that one signal reaches what a plain shell started too.
    const child = spawn(options.program, [...options.args], {
      cwd: options.folder,
      env: { ...options.environment },
      stdio: ["ignore", "pipe", "pipe", ...withoutInherited()],
      detached: true,
    }) as ChildProcessByStdio<null, Readable, Readable>;
    let ended: "timed-out" | "cancelled" | null = null;
    let reason = "";
    const stop = (why: "timed-out" | "cancelled" | null, said = ""): void => {
      ended ??= why;
      reason ||= said;
      killTree(child);
    };
    const onAbort = (): void => stop("cancelled");
    const timer = setTimeout(() => stop("timed-out"), options.timeoutMs);
    options.signal.addEventListener("abort", onAbort, { once: true });
    const unwatch =
      child.pid === undefined ? undefined : options.watch?.(child.pid, (said) => stop(null, said));
    const cleanUp = (): void => {
      clearTimeout(timer);
      unwatch?.();
      options.signal.removeEventListener("abort", onAbort);
    };

    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("error", (error) => {
      cleanUp();
      reject(error);
    });
    // A process that escaped from an unsandboxed tree may hold the pipe open for ever; do not wait for it.
    child.on("exit", () => setTimeout(() => child.stdout.destroy(), 1000).unref());
    child.on("exit", () => setTimeout(() => child.stderr.destroy(), 1000).unref());
    child.on("close", (code) => {
      cleanUp();
      killTree(child);
      const text = output.end();
      resolve({
        outcome: ended ?? (code === 127 ? "missing" : "exited"),
        exitCode: ended ? null : code,
        output: reason === "" ? text : `${text}\n${reason}`,
        bytes: output.bytes,
        log: output.log,
        ms: ms(),
      });
    });
  });
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") child.kill("SIGKILL");
  }
}
