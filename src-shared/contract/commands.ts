/**
 * Every command: what it takes, what it answers, who carries it out, and whether a terminal may give it through the local
 * endpoint. Contract, router, engine and the terminal's client are derived from this table. A new command is a row here
 * and a handler where it is carried out.
 */
import type { InferSchemaInput, InferSchemaOutput } from "@orpc/contract";
import { appCommands } from "./commands/app.ts";
import { archangelCommands } from "./commands/archangel.ts";
import { graphCommands } from "./commands/graph.ts";
import { machineCommands } from "./commands/machine.ts";
import { patternCommands } from "./commands/pattern.ts";
import { peopleCommands } from "./commands/people.ts";
import { pullRequestCommands } from "./commands/pull-request.ts";
import { replayCommands } from "./commands/replay.ts";
import { reportCommands } from "./commands/report.ts";
import { runCommands } from "./commands/run.ts";
import { startCommands } from "./commands/start.ts";
import { validationCommands } from "./commands/validation.ts";
import { workerCommands } from "./commands/worker.ts";

export const commands = {
  ...appCommands,
  ...archangelCommands,
  ...graphCommands,
  ...machineCommands,
  ...patternCommands,
  ...peopleCommands,
  ...pullRequestCommands,
  ...replayCommands,
  ...reportCommands,
  ...runCommands,
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
/** Commands about one run. */
type RunCommandName = {
  [Name in CommandName]: Commands[Name]["about"] extends "run" | "active-run" ? Name : never;
}[CommandName];
type AppCommandName = {
  [Name in CommandName]: Commands[Name]["about"] extends "app" ? Name : never;
}[CommandName];

type Parsed<Name extends CommandName> = InferSchemaOutput<Commands[Name]["input"]>;
type Without<Input, Field extends PropertyKey> = { [Key in keyof Input as Exclude<Key, Field>]: Input[Key] };

/** What a command is given, parsed, beside the repository and the run that it is about. */
export type CommandInput<Name extends CommandName> = Name extends AppCommandName
  ? Parsed<Name>
  : Without<Parsed<Name>, FieldOf<Name>>;
export type CommandOutput<Name extends CommandName> = InferSchemaOutput<Commands[Name]["output"]>;

/** None where there is nothing to say. */
type Arguments<Input> = keyof Input extends never ? [] : [input: Input];
/** How a command is given to the engine of its repository: with the run, where it is about one. */
export type EngineArguments<Name extends EngineCommandName> = Arguments<Without<Parsed<Name>, "repository">>;

type FieldOf<Name extends CommandName> = Name extends RunCommandName
  ? "repository" | "run"
  : Name extends AppCommandName
    ? never
    : "repository";
type Given<Name extends CommandName> = InferSchemaInput<Commands[Name]["input"]>;
type WithOptional<Input, Field> = Without<Input, Field & PropertyKey> &
  Partial<Pick<Input, keyof Input & Field>>;
type ClientInput<Name extends CommandName> = Name extends AppCommandName
  ? Given<Name>
  : WithOptional<Given<Name>, FieldOf<Name>>;
/** How a command is given to a client that fills in the repository and the run that it shows. */
export type ClientArguments<Name extends CommandName> =
  Record<never, never> extends ClientInput<Name>
    ? [input?: ClientInput<Name>]
    : ClientInput<Name> extends void
      ? []
      : [input: ClientInput<Name>];

/**
 * How an engine carries commands out, by name. In what they get no key holds undefined. `by`: the person who gave it, where
 * several share the host.
 */
export type EngineCommands<Names extends EngineCommandName, Run> = {
  readonly [Name in Names]: (
    ...given: Name extends RunCommandName
      ? [run: Run, input: Defined<CommandInput<Name>>, by?: string]
      : [input: Defined<CommandInput<Name>>, by?: string]
  ) => Promise<CommandOutput<Name>> | CommandOutput<Name>;
};

/** The same for the host: with the repository, where it is about one, and the window that asks. */
export type HostHandlers<Names extends CommandName, Repository, Window> = {
  readonly [Name in Names]: (
    ...given: Name extends AppCommandName
      ? [input: Defined<CommandInput<Name>>, window: Window]
      : [repository: Repository, input: Defined<CommandInput<Name>>, window: Window]
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
export function omitUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, omitUndefined(one)]),
  );
}

/** Fills in which repository and run a command is for, where that was left out. */
export function withFields(
  name: CommandName,
  input: object | undefined,
  shown: { readonly repository: string | null; readonly run: string | null },
): object | undefined {
  const { about } = commands[name];
  if (about === "app") return input;
  return {
    ...(shown.repository === null ? {} : { repository: shown.repository }),
    ...(shown.run === null || about === "repository" ? {} : { run: shown.run }),
    ...input,
  };
}

// Its keys are the names: the table is a constant.
export const commandNames = Object.keys(commands) as readonly CommandName[];
export const engineCommandNames = commandNames.filter(
  (name): name is EngineCommandName => commands[name].by === "engine",
);
export const endpointCommandNames = commandNames.filter(
  (name): name is EndpointCommandName => commands[name].isOverEndpoint,
);
