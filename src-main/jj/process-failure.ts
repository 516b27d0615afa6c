import { isProgram, toolGone } from "../config/tools.ts";
import type { ProgramResult } from "../processes/run-program.ts";
import { commandOf } from "./command-of.ts";
import { folderGone, JjError, jjFailure, jjMissing } from "./errors.ts";
import { missingFolder } from "./op-heads.ts";

/** A process of jj as it was started. */
export interface StartedJj {
  readonly program: string;
  /** All its arguments, Hox's own among them. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** After so long it was told to end. */
  readonly limitMs: number;
}

/** The error for a process of jj that did not end well: it was ended, could not be started, or says itself what failed. */
export function processFailure({ program, args, cwd, limitMs }: StartedJj, result: ProgramResult): JjError {
  const { stderr, error } = result;
  if (result.isCancelled)
    return new JjError({ kind: "aborted", message: "The jj command was cancelled.", args, stderr });
  if (result.isTimedOut)
    return new JjError({
      kind: "timeout",
      message: `jj ${commandOf(args)} did not finish within ${limitMs / 1_000} s and was stopped.`,
      args,
      stderr,
    });
  // The system says the same of a program and of the folder to start it in.
  const missing = missingFolder(cwd);
  if (missing !== null) return folderGone(missing, { args, stderr, cause: error });
  if (error?.code === "ENOENT") return jjMissing(isProgram(program) ? error : toolGone("jj", program));
  if (error) return startFailure(error, { args, stderr });
  if (result.exitCode === null)
    return new JjError({
      kind: "killed",
      message: `jj ${commandOf(args)} was killed by ${result.signal ?? "a signal"} before it finished.`,
      args,
      stderr,
    });
  // A script that was taken away between its start and its first line: its shell says so in words of its own.
  if (!isProgram(program)) return jjMissing(toolGone("jj", program));
  return jjFailure(args, result.exitCode, stderr);
}

function startFailure(
  error: NonNullable<ProgramResult["error"]>,
  context: { readonly args: readonly string[]; readonly stderr: string },
): JjError {
  if (error.code === "ENOSPC" || error.code === "EDQUOT")
    return new JjError({ kind: "disk", message: error.message, ...context });
  return new JjError({ kind: "failed", message: `jj could not be started: ${error.message}`, ...context });
}
