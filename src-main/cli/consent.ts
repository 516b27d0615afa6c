import { createInterface } from "node:readline/promises";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { CommandError, exitCode } from "./command-line.ts";

/** Asks before an action; without a terminal the command ends with the text and the flag for yes. */
export async function consent(
  options: { readonly yes?: boolean; readonly json?: boolean },
  question: string,
): Promise<void> {
  if (options.yes) return;
  if (!process.stdin.isTTY || options.json) {
    throw new CommandError(question, "Nothing was done. Confirm with --yes.", exitCode.waits);
  }
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/iu.test(answer.trim())) throw new CommandError("Nothing was done.", null, exitCode.waits);
}

/** Reads one line from the terminal. */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // A terminal that has closed; its signal is on the way, and lets a run save what it has.
  lines.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EIO") throw error;
  });
  // Here the terminal hands Ctrl-C over as a key, and a command that waits for the signal would not hear of it.
  if (process.listenerCount("SIGINT") > 0) lines.on("SIGINT", () => process.emit("SIGINT", "SIGINT"));
  try {
    return await lines.question(shownText(question), signal ? { signal } : {});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ABORT_ERR" || signal?.aborted) throw error;
    throw new CommandError("No answer given.", null, exitCode.interrupted);
  } finally {
    lines.close();
  }
}
