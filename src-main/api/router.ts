import type { AnyContractProcedure } from "@orpc/contract";
import { implement, type Router } from "@orpc/server";
import type { RequestHeadersPluginContext } from "@orpc/server/plugins";
import {
  type CommandArguments,
  type CommandHandlers,
  type CommandInput,
  type CommandName,
  commandNames,
  commands,
  type EndpointCommandName,
  type EngineCommandName,
  endpointCommandNames,
  executeWith,
} from "#shared/contract/commands.ts";
import { type Contract, contract, type Procedures, procedures } from "#shared/contract/contract.ts";
import type { NumberedEvent } from "#shared/contract/events.ts";
import { beatMs } from "#shared/contract/liveness.ts";
import { type Nested, nested } from "#shared/contract/nested.ts";
import { repositoryHeader, repositoryNamedBy } from "#shared/contract/repository-header.ts";
import { runHeader } from "#shared/contract/run-header.ts";
import { hostCommands } from "./host-commands.ts";
import type { HostState } from "./host-state.ts";
import { openIn } from "./open-in/open-in.ts";
import { toContractError } from "./refusal.ts";
import type { Line } from "./viewers.ts";

/** Context of a request. */
export interface RequestContext extends RequestHeadersPluginContext {
  /** Whether the host opened the asking window on its own machine. */
  readonly isOwnMachine?: boolean;
  /** The connection of the window that asks. */
  readonly line?: Line;
}
type Implemented = { [Name in CommandName]: Router<Procedures[Name], RequestContext> };
export type HostRouter = Nested<Implemented> & { readonly watch: Router<Contract["watch"], RequestContext> };
export type EndpointRouter = Nested<Pick<Implemented, EndpointCommandName>>;

/** The contract, implemented on one host's state: what the table of commands says goes to the engine or to the host. */
export const createRouter = (state: HostState): HostRouter => ({
  watch: implement(contract.watch)
    .$context<RequestContext>()
    .handler(({ input, context, signal }) =>
      inContractErrors(() => withBeats(state.watch(context.line, input, signal))),
    ),
  ...nested(implemented(state, commandNames)),
});

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

/** @param of the one repository that all of it is for; left out: the one that a call names, or that its window shows */
function implemented<Names extends CommandName>(
  state: HostState,
  names: readonly Names[],
  of?: string,
): Pick<Implemented, Names> {
  // Its own schema has parsed what each command gets.
  const own = hostCommands(state);
  const execute = executeWith({ ...engineCommands(state), ...own }) as Execute;
  /** What the host does itself is no run's. */
  const executeAbout = (run: string, name: CommandName, input: unknown): Promise<unknown> =>
    name in own ? execute(name, input) : (state.engine().about(run).execute as Execute)(name, input);
  const contracts: Readonly<Record<CommandName, AnyContractProcedure>> = procedures;
  return Object.fromEntries(
    names.map((name) => [
      name,
      implement(contracts[name])
        .$context<RequestContext>()
        .handler(({ input, context }) => {
          const run = context.reqHeaders?.get(runHeader) ?? null;
          const named = of ?? repositoryNamedBy(context.reqHeaders?.get(repositoryHeader));
          return inContractErrors(() =>
            state.during({ line: context.line, of: named }, async () => {
              // The one thing that depends on where the window is.
              if (name === "openIn.open")
                return openIn(state, input as CommandInput<"openIn.open">, context.isOwnMachine === true);
              const result = await (run === null ? execute(name, input) : executeAbout(run, name, input));
              if (answers.has(name)) await state.continueRehearsal();
              return result;
            }),
          );
        }),
    ]),
  ) as unknown as Pick<Implemented, Names>;
}

/** What a scripted model waits for. */
const answers: ReadonlySet<CommandName> = new Set([
  ...(["inbox.answer", "attempt.fork", "attempt.choose", "plan.amend", "run.messageWorker"] as const),
]);

type Execute = (name: CommandName, input: unknown) => Promise<unknown>;

/** Whatever the engine carries out goes to the engine of the repository that the call is for. */
function engineCommands(state: HostState): CommandHandlers<EngineCommandName> {
  const names = commandNames.filter((name): name is EngineCommandName => commands[name].by === "engine");
  return Object.fromEntries(
    names.map((name) => [
      name,
      (...input: CommandArguments<EngineCommandName>) => state.engine().execute(name, ...input),
    ]),
  ) as CommandHandlers<EngineCommandName>;
}

async function inContractErrors<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toContractError(error);
  }
}
