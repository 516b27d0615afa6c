import type { Command } from "commander";
import { oneLine } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** The named agents that forks can be. */
export function addAgentsCommands({ command, end }: CommandList): void {
  const agents = async () => import("./agents.ts");
  const agentsCommand = command(
    "agents",
    "list the agents of this repository, which forks can use by name",
  ).action(async (options) => end(await (await agents()).listAgents(options)));
  const part = (name: string, description: string): Command =>
    withCommonOptions(agentsCommand.command(name).description(description));

  part("list", "list each agent with its tools, its limits and its file").action(async (options) =>
    end(await (await agents()).listAgents(options)),
  );
  part("check", "check the agent files; exits 1 if an agent can't be loaded").action(async (options) =>
    end(await (await agents()).checkAgents(options)),
  );
  part("show", "show the prompt that an agent or a clone would get")
    .argument("<name>", "name from `hox agents list`, or clone", oneLine)
    .option("--worker <name>", "the agent to fork, for example agent-1", oneLine)
    .option("--task <text>", "the task to give it")
    .action(async (name, options) => end(await (await agents()).showAgent(name, options)));
  part("migrate", "convert agent files in the old format; without --write, only show the result")
    .option(
      "--from <folder>",
      "folder with the old files (default: the agents folder of this repository)",
      oneLine,
    )
    .option("--write", "write the files; existing files are not overwritten")
    .action(async (options) => end(await (await import("./migrate-agents.ts")).migrateAgents(options)));
}
