import type { Command } from "commander";
import { type ExitCode, oneLine } from "./command-line.ts";

/** Where commands are added. */
export interface CommandList {
  /** A command of `hox`, with the options that all of them have. */
  readonly command: (name: string, description: string) => Command;
  /** Takes the exit code of the command that ran. */
  readonly end: (code: ExitCode) => void;
}

export const withCommonOptions = (command: Command): Command =>
  command
    .option("--repo <folder>", "repository folder (default: the current one)", oneLine)
    .option(
      "--run <name>",
      "which run, if several are active: its root orchestrator (O-A-2), its id or the start of its id",
      oneLine,
    )
    .option("--json", "print one JSON value per line instead of text");
