import { ask } from "./ask.ts";
import { CommandError, exitCode } from "./command-line.ts";

/** Asks before something is done; where nobody can be asked, the words and the way to say yes end the command. */
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
