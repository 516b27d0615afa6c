import { Option } from "commander";
import { gates } from "#shared/contract/cards/gates.ts";
import { maxAttempts } from "#shared/domain/plan/attempts-of-plan.ts";
import { validatorChoices } from "#shared/domain/validation/panel-choice.ts";
import { microDollars, oneLine, oneOf, orNone, someOf, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** From a folder to a run, and how far that one has come. */
export function addRunCommands({ command, end }: CommandList): void {
  command("init", "set up Hox in this folder: a jj repository and .hox/config.toml")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./init.ts")).init(options)));

  command("run", "start a run for a goal, or resume the active run")
    .option("--goal <text>", "what the run should achieve")
    .option(
      "--idea <n>",
      "use this idea of `hox ideas` as the goal; --goal rewords it",
      wholeNumber(1, 100_000),
    )
    .option("--again", "repeat the goal of the last failed or stopped run, based on its combined work")
    .option(
      "--orchestrators <n>",
      "number of orchestrators (default: the root orchestrator decides)",
      wholeNumber(1, 32),
    )
    .option(
      "--attempts <n>",
      "number of agents that try each task in parallel; you choose one, and the cost multiplies",
      wholeNumber(1, maxAttempts),
    )
    .option("--quick", "one agent, no plan or votes: it works, checks run, you land the result")
    .option("--no-quick", "make a plan even if run.quick is set")
    .option(
      "--validators <who>",
      "one, or panel (validation.validator_count of them); default: one, or a panel for a large or risky result",
      oneOf(validatorChoices),
    )
    .option("--max-tokens <n>", "maximum number of tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "maximum cost in US dollars, or none", orNone(microDollars))
    .option(
      "--max-iterations <n>",
      "maximum iterations of each agent on its task before Hox asks you",
      wholeNumber(1, 1_000),
    )
    .option(
      "--onto <revset>",
      "change to build on, or branch to build and land on (default: your current branch)",
    )
    .option("--model <name>", "model of this run", oneLine)
    .option(
      "--rehearsal <name>",
      "use a scripted model; without --repo, on a copy of its example repository",
      oneLine,
    )
    .option(
      "--approve <gates>",
      `cards to approve automatically: ${gates.join(", ")} (questions: picks the first option; patterns: only in a rehearsal)`,
      someOf(gates),
    )
    .option("--take-over", "take over from the Hox process that has this repository open")
    .addOption(
      new Option("--pace <ms>", "delay of the scripted model").argParser(wholeNumber(0, 10_000)).hideHelp(),
    )
    .action(async (options) => end(await (await import("./run.ts")).run(options)));

  command("status", "show the run, its agents, the cards that wait for you, and the budget").action(
    async (options) => end(await (await import("./status.ts")).status(options)),
  );
}
