/**
 * Starts one of the user's programs. No shell parses its arguments, and it gets none of Hox's environment.
 */
import { spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { childEnvironment } from "../config/child-environment.ts";
import { isProgram, onPath } from "../config/tools.ts";

/** A program that stays is taken to be open when it has not failed by then. */
const failsWithinMs = 2_000;
/** Of what it says when it fails. */
const maxErrorLength = 500;

/** Where a program of a command is, or null. */
const programOf = (program: string): string | null =>
  isAbsolute(program)
    ? isProgram(program)
      ? program
      : null
    : (onPath([program.replace(/\.exe$/u, "")], childEnvironment("desktop").PATH) ?? null);

/** Whether a program is on this machine. */
export const hasDesktopProgram = (program: string): boolean => programOf(program) !== null;

/**
 * @param words the program and its arguments
 * @param folder in which it begins
 * @returns what was wrong where it ended at once or could not be started; null: it is open
 */
export async function startDesktopProgram(words: readonly string[], folder: string): Promise<string | null> {
  const [program = "", ...args] = words;
  const path = programOf(program);
  if (path === null) return "it is not installed";
  return new Promise<string | null>((resolve) => {
    const child = spawn(path, args, {
      cwd: folder,
      env: childEnvironment("desktop"),
      stdio: ["ignore", "ignore", "pipe"],
      // It stays when Hox ends.
      detached: true,
      windowsHide: false,
    });
    let output = "";
    child.stderr.on("data", (text: Buffer) => {
      if (output.length < maxErrorLength) output += text.toString();
    });
    const stays = setTimeout(() => end(null), failsWithinMs);
    const end = (why: string | null): void => {
      clearTimeout(stays);
      child.stderr.destroy();
      child.unref();
      resolve(why);
    };
    child.once("error", ({ message }) => end(message));
    child.once("exit", (code, signal) =>
      end(
        code === 0
          ? null
          : `it exited with ${signal ?? `code ${code}`}${output.trim() === "" ? "" : `: ${output.trim().slice(0, maxErrorLength)}`}`,
      ),
    );
  });
}
