/** A command line with some of the rows. */
import { Command, CommanderError } from "commander";
import { remedyOf } from "#shared/domain/text/remedied-error.ts";
import { CommandError, type ExitCode, exitCode } from "./command-line.ts";
import { addRows, type CommandRow } from "./command-table.ts";
import { printError, printJson } from "./output.ts";

function createProgram(rows: readonly CommandRow[], version: string, end: (code: ExitCode) => void): Command {
  const program = new Command("hox")
    .description("Run several coding agents on one jj repository.")
    .configureHelp({ showGlobalOptions: true })
    .version(version, "-V, --version")
    .exitOverride()
    .configureOutput({ writeErr: (text) => printError(text.replace(/\n$/u, "")) })
    .showHelpAfterError("Add --help to see usage.")
    .enablePositionalOptions();
  addRows(program, rows, end);
  return program;
}

/** Runs one command line and returns the exit code; all errors are printed. */
export async function runRows(
  rows: readonly CommandRow[],
  version: string,
  args: readonly string[],
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = createProgram(rows, version, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    return tell(error, args.includes("--json"));
  }
}

function tell(error: unknown, json: boolean): ExitCode {
  const [message, remedy] = error instanceof Error ? [error.message, remedyOf(error)] : [String(error), null];
  if (json) printJson({ kind: "error", message, remedy });
  printError(`hox: ${message}${remedy && !message.includes(remedy) ? `\n${remedy}` : ""}`);
  if (process.env.HOX_DEBUG && error instanceof Error) printError(`${error.stack}`);
  return error instanceof CommandError ? error.code : exitCode.error;
}
