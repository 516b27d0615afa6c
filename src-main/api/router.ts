import type { AnyContractProcedure } from "@orpc/contract";
import { implement, type Router } from "@orpc/server";
import {
  type CommandArguments,
  type CommandHandlers,
  type CommandName,
  commandNames,
  commands,
  type EndpointCommandName,
  type EngineCommandName,
  endpointCommandNames,
  executeWith,
} from "#shared/contract/commands.ts";
import { type Contract, contract, type Procedures, procedures } from "#shared/contract/contract.ts";
import { type Nested, nested } from "#shared/contract/nested.ts";
import { hostCommands } from "./host-commands.ts";
import type { HostState } from "./host-state.ts";
import { toContractError } from "./refusal.ts";

type NoContext = Record<never, never>;
type Implemented = { [Name in CommandName]: Router<Procedures[Name], NoContext> };
export type HostRouter = Nested<Implemented> & { readonly watch: Router<Contract["watch"], NoContext> };
export type EndpointRouter = Nested<Pick<Implemented, EndpointCommandName>>;

/** The contract, implemented on one host's state: what the table of commands says goes to the engine or to the host. */
export const createRouter = (state: HostState): HostRouter => ({
  watch: implement(contract.watch).handler(({ input, signal }) =>
    inContractErrors(() => state.log.read(input.since, signal)),
  ),
  ...nested(implemented(state, commandNames)),
});

/** The part of it that terminals may use. */
export const createEndpointRouter = (state: HostState): EndpointRouter =>
  nested(implemented(state, endpointCommandNames));

function implemented<Names extends CommandName>(
  state: HostState,
  names: readonly Names[],
): Pick<Implemented, Names> {
  // Its own schema has parsed what each command gets.
  const execute = executeWith({ ...engineCommands(state), ...hostCommands(state) }) as (
    name: CommandName,
    input: unknown,
  ) => Promise<unknown>;
  const contracts: Readonly<Record<CommandName, AnyContractProcedure>> = procedures;
  return Object.fromEntries(
    names.map((name) => [
      name,
      implement(contracts[name]).handler(({ input }) => inContractErrors(() => execute(name, input))),
    ]),
  ) as unknown as Pick<Implemented, Names>;
}

/** Whatever the engine carries out goes to the engine of the repository that is open by then. */
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
