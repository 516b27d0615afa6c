import { Command, CommanderError } from "commander";
import { version } from "../version.ts";
import { addAgentsCommands } from "./agents-commands.ts";
import { addArchangelCommands } from "./archangel-commands.ts";
import { CommandError, type ExitCode, exitCode } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";
import { addGraphCommands } from "./graph-commands.ts";
import { addHostCommands } from "./host-commands.ts";
import { printError, printJson } from "./output.ts";
import { addPatternCommands } from "./pattern-commands.ts";
import { addPlanCommands } from "./plan-commands.ts";
import { addReplayCommands } from "./replay-commands.ts";
import { addResultCommands } from "./result-commands.ts";
import { addRunCommands } from "./run-commands.ts";
import { addSessionCommands } from "./session-commands.ts";
import { addSteerCommands } from "./steer-commands.ts";
import { addValidateCommand } from "./validate-command.ts";

/** Each command's own code is loaded when it runs: `hox --help` and a typing error need none of it. */
function createProgram(end: (code: ExitCode) => void): Command {
  const program = new Command("hox")
    .description("Run several coding agents on one jj repository.")
    .configureHelp({ showGlobalOptions: true })
    .version(version(), "-V, --version")
    .exitOverride()
    .configureOutput({ writeErr: (text) => printError(text.replace(/\n$/u, "")) })
    .showHelpAfterError("Add --help to see usage.")
    .enablePositionalOptions();

  const list: CommandList = {
    command: (name, description) => withCommonOptions(program.command(name).description(description)),
    end,
  };
  // As the help lists them.
  addRunCommands(list);
  addGraphCommands(list);
  addSteerCommands(list);
  addPlanCommands(list);
  addResultCommands(list);
  addValidateCommand(list);
  addPatternCommands(list);
  addReplayCommands(list);
  addSessionCommands(list);
  addAgentsCommands(list);
  addArchangelCommands(list);
  addHostCommands(list);
  return program;
}

/** Runs one command line and answers with the exit code; everything that goes wrong is said in words. */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = createProgram((ended) => {
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
  const { message, remedy } =
    error instanceof Error
      ? (error as Error & { remedy?: unknown })
      : { message: String(error), remedy: null };
  const advice = typeof remedy === "string" && remedy !== "" ? remedy : null;
  if (json) printJson({ kind: "error", message, remedy: advice });
  printError(`hox: ${message}${advice && !message.includes(advice) ? `\n${advice}` : ""}`);
  if (process.env.HOX_DEBUG && error instanceof Error) printError(`${error.stack}`);
  return error instanceof CommandError ? error.code : exitCode.error;
}
