import type { AnyContractProcedure } from "@orpc/contract";
import { implement, type Router } from "@orpc/server";
import {
  type CommandName,
  commandNames,
  commands,
  type EndpointCommandName,
  endpointCommandNames,
  omitUndefined,
} from "#shared/contract/commands.ts";
import {
  type Contract,
  contract,
  type Nested,
  nested,
  type Procedures,
  procedures,
} from "#shared/contract/contract.ts";
import { beatMs, type NumberedEvent } from "#shared/contract/events.ts";
import { log } from "../log/log.ts";
import { hostOwner } from "../people/people.ts";
import { executeAs } from "./authorize.ts";
import { type Caller, hostCommands } from "./host-commands.ts";
import { engineOf, type HostState } from "./host-state.ts";
import { NotOpen, toContractError } from "./refusal.ts";
import { maySee, seenBy } from "./seen-by.ts";
import type { Line } from "./viewers.ts";

type Implemented = { [Name in CommandName]: Router<Procedures[Name], Caller> };
export type HostRouter = Nested<Implemented> & { readonly watch: Router<Contract["watch"], Caller> };
export type EndpointRouter = Nested<Pick<Implemented, EndpointCommandName>>;

/** The contract, implemented on one host's state: what the table of commands says goes to the engine or to the host. */
export const createRouter = (state: HostState): HostRouter => ({
  watch: implement(contract.watch)
    .$context<Caller>()
    .handler(({ input, context, signal }) =>
      inContractErrors("watch", () =>
        withBeats(withoutUnread(streamFor(state, input, context, signal), context.line)),
      ),
    ),
  ...nested(implemented(state, commandNames)),
});

/** What a window is sent, and who is there while it listens. */
async function* streamFor(
  state: HostState,
  from: Parameters<HostState["watch"]>[1],
  { line, person }: Caller,
  signal: AbortSignal | undefined,
): AsyncGenerator<NumberedEvent, void, void> {
  const { people, presence } = state;
  const leave = line === undefined ? null : presence.join(line, person ?? hostOwner());
  try {
    if (person === undefined) yield* state.watch(line, from, signal);
    else {
      const sees = (root: string): boolean => maySee(people.named(person), root);
      const now = () => {
        const known = people.named(person);
        return known && { ...known, owners: people.owners() };
      };
      yield* seenBy(state.watch(line, { ...from, maySee: sees }, signal), now);
    }
  } finally {
    leave?.();
  }
}

/** A conversation as a command and as an event name it. */
interface NamedConversation {
  readonly run: string;
  readonly worker: string;
}
const keyOf = ({ run, worker }: NamedConversation): string => `${run} ${worker}`;

/** The conversations that each window has asked for. */
const asked = new WeakMap<Line, Set<string>>();

const follow = (line: Line, conversation: NamedConversation): void =>
  void asked.set(line, (asked.get(line) ?? new Set()).add(keyOf(conversation)));

/** The stream with the rows of only those conversations that the window has asked for: agents say much all the time. */
async function* withoutUnread(
  stream: AsyncGenerator<NumberedEvent, void, void>,
  line: Line | undefined,
): AsyncGenerator<NumberedEvent, void, void> {
  for await (const numbered of stream) {
    const { event } = numbered;
    if (line === undefined || event.kind !== "conversation" || asked.get(line)?.has(keyOf(event)))
      yield numbered;
  }
}

/**
 * The stream, with a heartbeat whenever it is quiet for longer than this: otherwise a window could not tell
 * an idle host from a stopped one, whose socket stays open.
 */
export async function* withBeats(
  stream: AsyncGenerator<NumberedEvent, void, void>,
  everyMs: number = beatMs,
): AsyncGenerator<NumberedEvent, void, void> {
  try {
    let next = stream.next();
    for (;;) {
      const found = await within(next, everyMs);
      if (found === null) {
        yield { seq: 0, event: { kind: "alive" } };
        continue;
      }
      if (found.done) return;
      yield found.value;
      next = stream.next();
    }
  } finally {
    // It ends by its signal; awaiting it here would wait for its next event.
    void stream.return();
  }
}

/** What comes in time, or null. */
async function within<T>(coming: Promise<T>, ms: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  try {
    return await Promise.race([coming, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The part of it that terminals may use, on one repository. */
export const createEndpointRouter = (state: HostState, root: string): EndpointRouter =>
  nested(implemented(state, endpointCommandNames, root));

/** @param only the one repository that they may be about; left out: any that is open */
function implemented<Names extends CommandName>(
  state: HostState,
  names: readonly Names[],
  only?: string,
): Pick<Implemented, Names> {
  const execute = createExecutor(state, only);
  const contracts: Readonly<Record<CommandName, AnyContractProcedure>> = procedures;
  return Object.fromEntries(
    names.map((name) => [
      name,
      implement(contracts[name])
        .$context<Caller>()
        .handler(({ input, context }) =>
          inContractErrors(name, () =>
            executeAs(state, context.person, { name, input }, async (by) => {
              // Before the answer, so that no row is missing between the two.
              if (name === "run.conversation" && context.line)
                follow(context.line, input as NamedConversation);
              const result = await execute(name, input, by === undefined ? context : { ...context, by });
              if (answers.has(name)) await state.continueRehearsal();
              return result;
            }),
          ),
        ),
    ]),
  ) as unknown as Pick<Implemented, Names>;
}

/** What a scripted model waits for. */
const answers: ReadonlySet<CommandName> = new Set([
  ...(["inbox.answer", "attempt.fork", "attempt.choose", "plan.amend", "run.messageWorker"] as const),
]);

type Execute = (name: CommandName, input: unknown, caller: Caller) => unknown;

/** Finds the open repository that a command is about, and hands both to the host's own handler or to its engine. */
function createExecutor(state: HostState, only?: string): Execute {
  // Its own schema has parsed what each command gets.
  const own: Readonly<Partial<Record<CommandName, (...given: readonly unknown[]) => unknown>>> = hostCommands(
    state,
  ) as never;
  return (name, input, caller) => {
    const handler = own[name];
    const given = omitUndefined(input ?? {}) as { readonly repository?: string };
    if (commands[name].about === "app") return handler?.(given, caller);
    const { repository = "", ...rest } = given;
    if (only !== undefined && repository !== only) throw new NotOpen(repository);
    const open = state.opened(repository);
    if (handler) return handler(open, rest, caller);
    const { executeFor } = engineOf(open);
    return (executeFor as (by: string | undefined, ...given: unknown[]) => unknown)(caller.by, name, rest);
  };
}

/** Sent many times a second: logged only at the level `debug`. */
const frequentCommands: ReadonlySet<string> = new Set<CommandName>(["replay.frame", "replay.upload"]);

async function inContractErrors<Result>(
  command: string,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const begun = performance.now();
  const ms = (): number => Math.round(performance.now() - begun);
  try {
    const result = await work();
    log[frequentCommands.has(command) ? "debug" : "info"]("command", { command, ms: ms() });
    return result;
  } catch (error) {
    const known = toContractError(error);
    log[known === error ? "error" : "warn"]("command failed", { command, ms: ms(), error });
    throw known;
  }
}
