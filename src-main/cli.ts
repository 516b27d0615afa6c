import { printError } from "./cli/output.ts";
import { runCommandLine } from "./cli/program.ts";
import { printSlowCommands } from "./end-signals.ts";

// `hox log | head` ends the reader first; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  if (!isTerminalGone(error)) throw error;
});
process.stderr.on("error", (error) => {
  if (!isTerminalGone(error)) throw error;
});

/** Its signal is on the way, and lets a run save what it has. */
const isTerminalGone = (error: NodeJS.ErrnoException): boolean => error.code === "EIO";

// On standard error, because standard output is for programs.
printSlowCommands(printError);
process.exitCode = await runCommandLine(process.argv.slice(2));
// Nothing may keep a finished command alive; what is printed is out before.
process.stdout.write("", () => process.exit());
