/**
 * Every command: what it takes, what it answers, who carries it out, and whether a terminal may give it through the local
 * endpoint. Contract, router, engine and the terminal's client are derived from this table. A new command is a row here
 * and a handler where it is carried out.
 */
import type { InferSchemaOutput } from "@orpc/contract";
import { appCommands } from "./commands/app.ts";
import { archangelCommands } from "./commands/archangel.ts";
import { attemptCommands } from "./commands/attempt.ts";
import { graphCommands } from "./commands/graph.ts";
import { openInCommands } from "./commands/open-in.ts";
import { orientationCommands } from "./commands/orientation.ts";
import { patternCommands } from "./commands/pattern.ts";
import { planCommands } from "./commands/plan.ts";
import { replayCommands } from "./commands/replay.ts";
import { reportCommands } from "./commands/report.ts";
import { runCommands } from "./commands/run.ts";
import { runsCommands } from "./commands/runs.ts";
import { startCommands } from "./commands/start.ts";
import { validationCommands } from "./commands/validation.ts";
import { workerCommands } from "./commands/worker.ts";

export const commands = {
  ...appCommands,
  ...attemptCommands,
  ...archangelCommands,
  ...graphCommands,
  ...openInCommands,
  ...orientationCommands,
  ...patternCommands,
  ...planCommands,
  ...reportCommands,
  ...replayCommands,
  ...runCommands,
  ...runsCommands,
  ...startCommands,
  ...validationCommands,
  ...workerCommands,
};

type Commands = typeof commands;
export type CommandName = keyof Commands;

/** Commands that an engine carries out. */
export type EngineCommandName = {
  [Name in CommandName]: Commands[Name]["by"] extends "engine" ? Name : never;
}[CommandName];
/** Commands that the host carries out itself. */
export type HostCommandName = Exclude<CommandName, EngineCommandName>;
/** Commands that a terminal may give. */
export type EndpointCommandName = {
  [Name in CommandName]: Commands[Name]["isOverEndpoint"] extends true ? Name : never;
}[CommandName];

/** What a command is given, parsed. */
export type CommandInput<Name extends CommandName> = InferSchemaOutput<Commands[Name]["input"]>;
export type CommandOutput<Name extends CommandName> = InferSchemaOutput<Commands[Name]["output"]>;

/** None where there is nothing to say. */
type Arguments<Input> = Input extends void ? [] : [input: Input];
export type CommandArguments<Name extends CommandName> = Arguments<CommandInput<Name>>;

/** How commands are carried out, by name. In what they get no key holds undefined. */
export type CommandHandlers<Names extends CommandName> = {
  readonly [Name in Names]: (
    ...input: Defined<CommandArguments<Name>>
  ) => Promise<CommandOutput<Name>> | CommandOutput<Name>;
};

/** Values without keys that hold undefined. */
type Defined<T> = T extends object ? { readonly [Key in keyof T]: Defined<Exclude<T[Key], undefined>> } : T;

/**
 * Leaves out keys that a client sent as undefined: inside the host a key is there, or it is not.
 *
 * @param value plain data
 * @returns the same without them, at any depth
 */
const omitUndefined = <T>(value: T): Defined<T> => defined(value) as Defined<T>;

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, defined(one)]),
  );
}

/**
 * Carries commands out by their names.
 *
 * @param handlers one for each of them
 * @returns what takes a command as a client gives it, once its schema has parsed it
 */
export const executeWith =
  <Names extends CommandName>(handlers: CommandHandlers<Names>) =>
  async <Name extends Names>(name: Name, ...input: CommandArguments<Name>): Promise<CommandOutput<Name>> => {
    const handler: (...given: Defined<CommandArguments<Name>>) => unknown = handlers[name];
    return (await handler(...omitUndefined(input))) as CommandOutput<Name>;
  };

// Its keys are the names: the table is a constant.
export const commandNames = Object.keys(commands) as readonly CommandName[];
export const engineCommandNames = commandNames.filter(
  (name): name is EngineCommandName => commands[name].by === "engine",
);
export const endpointCommandNames = commandNames.filter(
  (name): name is EndpointCommandName => commands[name].isOverEndpoint,
);
