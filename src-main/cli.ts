import { runCommandLine } from "./cli/program.ts";

// `hox log | head` ends the reader first; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2));
// Nothing may keep a finished command alive; what is printed is out before.
process.stdout.write("", () => process.exit());
