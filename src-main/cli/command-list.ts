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
    .option("--repo <folder>", "the repository (default: the one you stand in)", oneLine)
    .option(
      "--run <name>",
      "where several runs go on: its root (O-A-2), its id or the beginning of it",
      oneLine,
    )
    .option("--json", "one JSON value per line instead of text");
