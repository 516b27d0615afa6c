import { execa } from "execa";
import { childEnvironment } from "../config/child-environment.ts";

/**
 * Opens one file in the user's editor, in the terminal. Resolves when it is closed.
 *
 * @param command from VISUAL or EDITOR: with options, parsed by a shell as Git does
 * @returns the error, or null
 */
export async function runEditor(command: string, file: string): Promise<string | null> {
  // The file is a separate argument, never part of the shell command.
  const { failed, shortMessage } = await execa("sh", ["-c", `${command} "$1"`, "hox", file], {
    stdio: "inherit",
    env: childEnvironment("desktop"),
    extendEnv: false,
    reject: false,
  });
  return failed ? (shortMessage ?? "It exited with an error.") : null;
}
