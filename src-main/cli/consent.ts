import { ask } from "./ask.ts";
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
