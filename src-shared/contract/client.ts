/** The client of whoever shows one repository, and one run of it: it says in each call which these are. */
import type { ContractRouterClient } from "@orpc/contract";
import {
  type ClientArguments,
  type CommandName,
  type CommandOutput,
  commandNames,
  withFields,
} from "./commands.ts";
import type { Contract, Nested } from "./contract.ts";

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
