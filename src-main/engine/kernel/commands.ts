/** How parts of the engine execute the user's commands (`contract/commands.ts`). */
import {
  type CommandArguments,
  type CommandHandlers,
  type CommandOutput,
  type EngineCommandName,
  engineCommandNames,
} from "#shared/contract/commands.ts";
import type { Settings } from "#shared/contract/views/settings.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EngineEvent, EngineOptions } from "../engine-interface.ts";
import type { Landings } from "../landings-interface.ts";

/** What one part of the engine carries out; left out: all of it. */
export type EngineCommands<Names extends EngineCommandName = EngineCommandName> = CommandHandlers<Names>;

/** What commands are carried out with: the repository that is open, and its runs. */
export interface CommandScope<Context> {
  readonly repository: Repository;
  /** Outside the repository: journal, workspaces, logs of this repository. */
  readonly stateFolder: string;
  readonly journal: Journal;
  readonly landings: Landings;
  readonly settings: () => Settings;
  readonly now: () => number;
  readonly newId: () => string;
  /** Nothing of a run is carried out: one thing of it is changed, and that is all. */
  readonly isInactive: boolean;
  /** The meant run, over or not; by default the one that was opened last. */
  opened(): Context | null;
  /** The same if active, else null. */
  going(): Context | null;
  /** The active run that is meant. @throws EngineRefusal if there is none, or it is ambiguous */
  active(): Context;
  /** Every active run: for edits to the graph below all of them. */
  allGoing(): readonly Context[];
  /** These, and what has ended since the last of them began. */
  shown(): readonly Context[];
  /** Winds down a run that is over, once. */
  finish(over: Context): Promise<void>;
  /** Resolves when every run that is over is wound down. */
  finished(): Promise<void>;
  /** Shows it now. */
  flush(): void;
  /** A workspace of any run is gone. */
  forgetFolder(run: string, worker: string): void;
  /** Runs work that belongs to no run: the signal aborts when the app closes, which waits for it. */
  readonly whileOpen: (work: (closing: AbortSignal) => Promise<void>) => Promise<void>;
  readonly driverFor: EngineOptions["driverFor"];
  readonly sandbox: EngineOptions["sandbox"];
  readonly secrets?: EngineOptions["secrets"];
  readonly emit: (event: EngineEvent) => void;
  /** Executes another command, as if the user had given it. */
  readonly execute: EngineExecute;
}

type EngineExecute = <Name extends EngineCommandName>(
  name: Name,
  ...input: CommandArguments<Name>
) => Promise<CommandOutput<Name>>;

/**
 * Merges the handlers of all commands.
 * @throws Error if a command has none or two: an internal error, seen at the first start
 */
export function gatherCommands(parts: readonly Partial<EngineCommands>[]): EngineCommands {
  const names = parts.flatMap((part) => Object.keys(part));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  const missing = engineCommandNames.filter((name) => !names.includes(name));
  if (twice.length > 0 || missing.length > 0)
    throw new Error(
      `Commands with two handlers: ${twice.join(", ") || "none"}; without a handler: ${missing.join(", ") || "none"}.`,
    );
  return Object.assign({}, ...parts) as EngineCommands;
}
