/** A command of `hox` is a row: its words, its help, what it takes, and what it does. */

import { Argument, type Command, Option } from "commander";
import type { IdeaView } from "#shared/contract/commands/archangel.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, oneLine } from "./command-line.ts";
import { printJson, show } from "./output.ts";
import type { RunClient } from "./run/run-client.ts";

type Parse = (text: string) => unknown;
/** The help of an argument or option, and how its text is read. Default: any text, or a flag. */
type Taken = string | readonly [help: string, parse: Parse] | Entry;
interface Entry {
  readonly help: string;
  readonly parse?: Parse;
  readonly isRequired?: true;
  readonly standard?: string;
  readonly isHidden?: true;
}

/** By what the user types: `<agent>`, `[agent]`, `<words...>`, `--now`, `-n, --limit <n>`, `--no-notes`. */
type Takes = Readonly<Record<string, Taken>>;

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type FirstWord<Text> = Text extends `${infer Word} ${string}` ? Word : Text;
type NameOf<Key> = Key extends `${string}--no-${infer Name}`
  ? Camel<FirstWord<Name>>
  : Key extends `${string}--${infer Name}`
    ? Camel<FirstWord<Name>>
    : Key extends `${"<" | "["}${infer Name}...${">" | "]"}`
      ? Name
      : Key extends `${"<" | "["}${infer Name}${">" | "]"}`
        ? Name
        : never;
type Read<Entry> = Entry extends readonly [string, (text: string) => infer Value]
  ? Value
  : Entry extends { readonly parse: (text: string) => infer Value }
    ? Value
    : string;
type ValueOf<Key, Entry> = Key extends `${string}...${">" | "]"}`
  ? readonly string[]
  : Key extends `${string}${"<" | "["}${string}`
    ? Read<Entry>
    : boolean;
/** Whether there always is a value. */
type IsThere<Key, Entry> = Key extends `<${string}` | `${string}...]`
  ? true
  : Entry extends { readonly isRequired: true } | { readonly standard: string }
    ? true
    : false;

/** What a user gave, by the names of arguments and options. */
export type Given<Row extends Takes> = CommonOptions & {
  readonly [Key in keyof Row & string as IsThere<Key, Row[Key]> extends true ? NameOf<Key> : never]: ValueOf<
    Key,
    Row[Key]
  >;
} & {
  readonly [Key in keyof Row & string as IsThere<Key, Row[Key]> extends true ? never : NameOf<Key>]?: ValueOf<
    Key,
    Row[Key]
  >;
};

export interface CommandRow {
  readonly words: string;
  readonly help: string;
  readonly takes: Takes;
  /** An option that Hox does not know is an argument. */
  readonly takesUnknown?: true;
  readonly run: (given: never) => Promise<ExitCode>;
}

/** @param words below `hox`; those of a command in another follow the other: `plan add` */
export const row = <const Row extends Takes>(
  words: string,
  help: string,
  takes: Row,
  run: (given: Given<Row>) => Promise<ExitCode>,
): CommandRow => ({ words, help, takes, run });

/**
 * A command that is sent to the run, or to the repository's engine, and prints what came back.
 *
 * @param task answers an exit code where it is not 0
 */
export const clientRow = <const Row extends Takes>(
  words: string,
  help: string,
  takes: Row,
  task: (given: Given<Row>, client: RunClient) => Promise<ExitCode> | Promise<void>,
): CommandRow =>
  row(words, help, takes, async (given) => {
    const { withRunClient } = await import("./run/run-client.ts");
    return withRunClient(given, async (client) => {
      const code = await task(given, client);
      return typeof code === "number" ? code : exitCode.done;
    });
  });

/** Adds the rows in their order, which is that of the help. */
export function addRows(program: Command, rows: readonly CommandRow[], end: (code: ExitCode) => void): void {
  for (const { words, help, takes, takesUnknown = false, run } of rows) {
    const path = words.split(" ");
    const parent = path.slice(0, -1).reduce((command, word) => subcommand(command, word), program);
    const command = parent
      .command(path.at(-1) ?? "")
      .description(help)
      .allowUnknownOption(takesUnknown)
      .option("--repo <folder>", "repository folder (default: the current one)", oneLine)
      .option(
        "--run <name>",
        "which run, if several are active: its root orchestrator (O-A-2), its id or the start of its id",
        oneLine,
      )
      .option("--json", "print one JSON value per line instead of text");
    const names: string[] = [];
    for (const [key, taken] of Object.entries(takes)) {
      const entry: Entry =
        typeof taken === "string" ? { help: taken } : "help" in taken ? taken : fromPair(taken);
      if (/^[<[]/u.test(key)) {
        const argument = new Argument(key, entry.help);
        if (entry.parse) argument.argParser(entry.parse);
        if (entry.standard !== undefined) argument.default(entry.standard);
        command.addArgument(argument);
        names.push(argument.name());
      } else {
        const option = new Option(key, entry.help).makeOptionMandatory(entry.isRequired === true);
        if (entry.parse) option.argParser(entry.parse);
        command.addOption(entry.isHidden ? option.hideHelp() : option);
      }
    }
    command.action(async () => {
      const given: Record<string, unknown> = Object.fromEntries(
        names.flatMap((name, at) => {
          const value: unknown = command.processedArgs[at];
          return value === undefined ? [] : [[name, value]];
        }),
      );
      end(await run({ ...command.opts<object>(), ...given } as never));
    });
  }
}

const fromPair = ([help, parse]: readonly [string, Parse]) => ({ help, parse });

const subcommand = (command: Command, word: string): Command =>
  command.commands.find((one) => one.name() === word) ?? command;

export const agentName = ["for example agent-2", oneLine] as const;
export const isConfirmed = "don't ask for confirmation";

/** The worker of a name. @throws CommandError that names the nearest one */
export function workerNamed({ workers }: RunView, name: string): WorkerView {
  const found = workers.find((worker) => worker.name === name);
  if (found) return found;
  const names = workers.filter((worker) => worker.replacedBy === null).map((worker) => worker.name);
  throw unknownName(`No agent named ${name} in this run.`, name, names);
}

/** A name that is not among those there are, with the nearest one. */
export function unknownName(message: string, name: string, names: readonly string[]): CommandError {
  const near = nearestWord(name, names);
  return new CommandError(
    message,
    `${near ? `Did you mean ${near}? ` : ""}Available: ${names.join(", ") || "none yet"}.`,
    exitCode.usage,
  );
}

/** As numbered by `hox ideas`. @throws CommandError for an unknown number */
export function ideaNumbered(all: readonly IdeaView[], number: number): IdeaView {
  const idea = all[number - 1];
  if (idea !== undefined) return idea;
  throw new CommandError(
    `No idea ${number}.`,
    all.length === 0
      ? 'No ideas yet. Save one: hox ideas add "…"'
      : `Saved ideas: ${all.length}. List them: hox ideas`,
    exitCode.usage,
  );
}

/** One worker of a run, as commands about it take it. @throws CommandError where no run has it */
export async function workerIn(
  client: RunClient,
  agent: string,
): Promise<{ readonly run: string; readonly worker: string }> {
  const run = await client.run(agent);
  return { run: run.id, worker: workerNamed(run, agent).name };
}

/** What a host that works does at once, and else the run when it resumes. */
export const takesEffect = ({ isLive }: RunClient): string =>
  isLive ? "" : " Takes effect when the run resumes: hox run";

/** Says that it was done, for people or for programs. */
export const showDone = (
  given: CommonOptions,
  client: RunClient,
  value: Readonly<Record<string, unknown>>,
  text: string | readonly string[],
): void => show(given, { kind: "done", live: client.isLive, ...value }, text);

/** A preview, and a refusal to do it. @throws CommandError with the refusal */
export function showPreview(
  given: CommonOptions,
  preview: { readonly refusal: { readonly reason: string; readonly remedy: string } | null },
  lines: readonly string[],
): void {
  if (given.json) printJson({ kind: "preview", ...preview });
  else show(given, null, lines);
  if (preview.refusal) throw new CommandError(preview.refusal.reason, preview.refusal.remedy);
}
