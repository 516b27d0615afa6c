/** The only door between a renderer and the host: the same over a message port and a socket. Derived from the commands. */
import { type AnySchema, type ContractRouterClient, eventIterator, oc, type } from "@orpc/contract";
import { z } from "zod";
import {
  type ClientArguments,
  type CommandName,
  type CommandOutput,
  commandNames,
  commands,
  withFields,
} from "./commands.ts";
import type { NumberedEvent } from "./events.ts";

/** Errors that every procedure may answer with; `data.remedy` says what to do. */
const errors = {
  REFUSED: {
    data: z.object({
      remedy: z.string().nullable(),
      start: z.number().optional(),
      end: z.number().optional(),
    }),
  },
  STALE: { data: z.object({ remedy: z.string().nullable() }) },
  NOT_OPEN: { data: z.object({ remedy: z.string().nullable() }) },
  /** This client has more requests under way than the host does for one; nothing was done of this one. */
  TOO_MANY_REQUESTS: { status: 429, data: z.object({ remedy: z.string().nullable() }) },
};

const base = oc.errors(errors);

const procedureOf = <Input extends AnySchema, Output extends AnySchema>(command: {
  readonly input: Input;
  readonly output: Output;
}) => base.input(command.input).output(command.output);

export type Procedures = {
  [Name in CommandName]: ReturnType<
    typeof procedureOf<(typeof commands)[Name]["input"], (typeof commands)[Name]["output"]>
  >;
};

const rows: Readonly<Record<CommandName, { readonly input: AnySchema; readonly output: AnySchema }>> =
  commands;
/** One for each command, by its name. */
export const procedures = Object.fromEntries(
  commandNames.map((name) => [name, procedureOf(rows[name])]),
) as unknown as Procedures;

export const contract = {
  /**
   * One stream for all changes. Send the last number seen to continue; null for a snapshot. `repository` is
   * the path of the one that the window shows, for a new connection; omitted: the one that was opened last.
   */
  watch: base
    .input(
      z.strictObject({ since: z.number().int().nullable(), repository: z.string().max(4096).optional() }),
    )
    .output(eventIterator(type<NumberedEvent>())),
  ...nested(procedures),
};

type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group : never;
type Grouped<Table, Group extends string> = {
  [Name in keyof Table as Name extends `${Group}.${infer Verb}` ? Verb : never]: Table[Name];
};

/** A table with names like `run.pause`, as an object of objects: `{ run: { pause } }`. A name without a group stays. */
export type Nested<Table> = { [Group in GroupOf<keyof Table>]: Grouped<Table, Group> } & {
  [Name in keyof Table as GroupOf<Name> extends never ? Name : never]: Table[Name];
};

/**
 * Puts what a table has under `group.verb` into an object for each group.
 *
 * @param table names of at most one dot
 */
export function nested<Table extends object>(table: Table): Nested<Table> {
  const groups: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(table)) {
    const [group = "", verb] = name.split(".");
    groups[group] = verb === undefined ? value : { ...(groups[group] as object | undefined), [verb]: value };
  }
  return groups as Nested<Table>;
}

export type Contract = typeof contract;

/** What a client shows; null: none. */
export interface Shown {
  /** The root of an open repository. */
  readonly repository: string | null;
  /** The id of a run. */
  readonly run: string | null;
}

/** Its calls name a repository or a run only where they are about another one than is shown. */
export type HoxClient = Nested<{
  [Name in CommandName]: (...input: ClientArguments<Name>) => Promise<CommandOutput<Name>>;
}> &
  Pick<ContractRouterClient<Contract>, "watch">;

interface Link<Options> {
  call(path: readonly string[], input: unknown, options: Options): Promise<unknown>;
}

/** A link that fills in what is shown when the call is made. */
export const fillingLink = <Options>(link: Link<Options>, shown: () => Shown): Link<Options> => ({
  call(path, input, options) {
    const name = commandNames.find((one) => one === path.join("."));
    const given = name === undefined ? input : withFields(name, input as object | undefined, shown());
    return link.call(path, given, options);
  },
});
