/** How parts of the engine execute the user's commands (`contract/commands.ts`). */

import { ruleOf } from "#shared/contract/command-rules.ts";
import type { UndoneOperation } from "#shared/contract/commands/graph.ts";
import {
  type CommandOutput,
  commands,
  type EngineArguments,
  type EngineCommandName,
  type EngineCommands,
  engineCommandNames,
  omitUndefined,
} from "#shared/contract/commands.ts";
import type { Settings } from "#shared/contract/settings.ts";
import type { UserActed } from "#shared/domain/people/user-acts.ts";
import type { Operation } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EngineEvent, EngineOptions, Landings } from "../engine-interface.ts";

/** What commands are carried out with: the repository that is open, and its runs. Those about a run get that first. */
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
  readonly forges?: EngineOptions["forges"];
  readonly places?: EngineOptions["places"];
  readonly sandbox: EngineOptions["sandbox"];
  readonly secrets?: EngineOptions["secrets"];
  readonly emit: (event: EngineEvent) => void;
  /** Undoes an operation as the capability does that made it; null: it is undone as any other. */
  readonly undoAsOwn: (operation: Operation) => Promise<UndoneOperation | null>;
  /** Executes another command, as if the user had given it. */
  readonly execute: EngineExecute;
  /** The same for the named person whose command needs it. */
  readonly executeFor: EngineExecuteFor;
}

type EngineExecute = <Name extends EngineCommandName>(
  name: Name,
  ...input: EngineArguments<Name>
) => Promise<CommandOutput<Name>>;

/** The same for a named person, where several share the host. */
export type EngineExecuteFor = <Name extends EngineCommandName>(
  by: string | undefined,
  name: Name,
  ...input: EngineArguments<Name>
) => Promise<CommandOutput<Name>>;

/** Who wrote, for jj's operation log: a person by name, as no worker is called, or Hox for the one user. */
export const actorOf = (by: string | undefined): string => (by === undefined ? "hox" : `@${by}`);

/**
 * Puts together who carries out what.
 *
 * @param runFor the run of an id, for a command about one; it throws where the command cannot be about that run
 * @param acted hears what a named person did with a run
 * @throws Error where a command has nobody, or two: a mistake of ours, seen at the first start
 */
export function gatherCommands<Context>(
  parts: readonly Partial<EngineCommands<EngineCommandName, Context>>[],
  runFor: (id: string, name: EngineCommandName) => Context,
  acted: (run: Context, act: UserActed) => void,
): EngineExecuteFor {
  const names = parts.flatMap((part) => Object.keys(part));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  const missing = engineCommandNames.filter((name) => !names.includes(name));
  if (twice.length > 0 || missing.length > 0)
    throw new Error(
      `Commands with two handlers: ${twice.join(", ") || "none"}; without a handler: ${missing.join(", ") || "none"}.`,
    );
  const handlers = Object.assign({}, ...parts) as Readonly<
    Record<EngineCommandName, (...given: readonly unknown[]) => never>
  >;
  return async (by, name, ...[input]) => {
    const given = omitUndefined(input ?? {}) as { readonly run?: string };
    if (commands[name].about === "repository") return handlers[name](given, by);
    const { run, ...own } = given;
    const context = runFor(run ?? "", name);
    const result = await handlers[name](context, own, by);
    const { did } = ruleOf(name);
    // A card keeps its own record, together with the answer.
    if (by !== undefined && did !== null && name !== "inbox.answer")
      acted(context, { kind: "UserActed", by, did, of: "worker" in own ? String(own.worker) : null });
    return result;
  };
}
