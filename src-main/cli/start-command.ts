import { printSlowCommands } from "../end-signals.ts";
import type { ExitCode } from "./command-line.ts";
import { exitWhenPrinted, printError } from "./output.ts";

/** Its signal is on the way, and lets a run save what it has. */
const isTerminalGone = (error: NodeJS.ErrnoException): boolean => error.code === "EIO";

/** Runs the command line of this process, and ends the process. */
export async function startCommand(run: (args: readonly string[]) => Promise<ExitCode>): Promise<void> {
  // `hox log | head` ends the reader first; that is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    if (!isTerminalGone(error)) throw error;
  });
  process.stderr.on("error", (error) => {
    if (!isTerminalGone(error)) throw error;
  });
  // On standard error, because standard output is for programs.
  printSlowCommands(printError);
  process.exitCode = await run(process.argv.slice(2));
  exitWhenPrinted();
}
