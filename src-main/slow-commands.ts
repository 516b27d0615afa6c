import { type SlowCommand, slowCommandEnded, slowCommandLine } from "#shared/domain/host/slow-command.ts";
import { watchSlowCommands } from "./jj/slow-commands.ts";

/** Prints a line when a command of jj has been running for long, and one when it has ended. @returns stops it */
export function printSlowCommands(print: (line: string) => void): () => void {
  let known: readonly SlowCommand[] = [];
  return watchSlowCommands((slow) => {
    const now = Date.now();
    for (const one of slow) if (!known.includes(one)) print(slowCommandLine(one, now));
    for (const one of known) if (!slow.includes(one)) print(slowCommandEnded(one, now));
    known = slow;
  });
}
