import type { Command } from "commander";
import { oneLine } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** The named agents that forks can be. */
export function addAgentsCommands({ command, end }: CommandList): void {
  const agents = async () => import("./agents.ts");
  const agentsCommand = command(
    "agents",
    "the named agents of this repository: those that forks can be",
  ).action(async (options) => end(await (await agents()).listAgents(options)));
  const part = (name: string, description: string): Command =>
    withCommonOptions(agentsCommand.command(name).description(description));

  part("list", "each agent, what it may use and cost, and the file that says so").action(async (options) =>
    end(await (await agents()).listAgents(options)),
  );
  part("check", "only what is wrong with their files; exits 1 where one is no agent because of it").action(
    async (options) => end(await (await agents()).checkAgents(options)),
  );
  part("show", "what an agent would be sent, or a clone")
    .argument("<name>", "as hox agents list names it, or clone", oneLine)
    .option("--worker <name>", "whose fork it would be, for instance agent-1", oneLine)
    .option("--task <text>", "what it would be asked")
    .action(async (name, options) => end(await (await agents()).showAgent(name, options)));
  part("migrate", "files with the names of the tool before, as they are now; a preview without --write")
    .option(
      "--from <folder>",
      "a folder of that tool (default: the one of this repository's agents)",
      oneLine,
    )
    .option("--write", "write them; a file that is there already is not overwritten")
    .action(async (options) => end(await (await import("./migrate-agents.ts")).migrateAgents(options)));
}
