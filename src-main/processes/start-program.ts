import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program whose output is read and that gets no input. */
export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads; default: nothing. */
  readonly input?: string | undefined;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Null when a signal has ended it, or when it could not be started. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly error: { readonly code: string | undefined; readonly message: string } | null;
}

/**
 * An unnamed file as input. A pipe would end early when the host is killed: the program outlives it, and
 * would take what it had read for the whole.
 */
function openInput(text: string): number {
  const path = join(tmpdir(), `hox-input-${randomUUID()}`);
  const file = openSync(path, "wx+", 0o600);
  try {
    unlinkSync(path);
    const bytes = Buffer.from(text);
    // At explicit offsets, so that reading starts at the beginning.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** How long the output of a terminated program is still read. */
const outputDrainMs = 500;

/** Starts a program as a child of this very process. `onEnd` is called once, after all of its output has been read. */
export function startProgram(
  { program, args, cwd, env, input }: Program,
  onEnd: (end: ProgramEnd) => void,
): ChildProcess | null {
  const failed = (error: NodeJS.ErrnoException): void =>
    onEnd({ exitCode: null, signal: null, error: { code: error.code, message: error.message } });
  let file: number | null = null;
  try {
    file = input === undefined ? null : openInput(input);
    const child = spawn(program, [...args], {
      cwd,
      env: { ...env },
      stdio: [file ?? "ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    child.once("error", (error) => {
      if (child.pid === undefined) failed(error);
    });
    // What it has started in turn may hold its output open for as long as it likes.
    child.once("exit", () => {
      if (child.killed)
        setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, outputDrainMs).unref();
    });
    child.once("close", (exitCode, signal) => {
      if (child.pid !== undefined) onEnd({ exitCode, signal, error: null });
    });
    return child;
  } catch (error) {
    failed(error as NodeJS.ErrnoException);
    return null;
  } finally {
    // The program has its own by now.
    if (file !== null) closeSync(file);
  }
}
