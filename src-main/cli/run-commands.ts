import { Option } from "commander";
import { gates } from "#shared/contract/cards/gates.ts";
import { mostAttempts } from "#shared/domain/plan/attempts-of-plan.ts";
import { validatorChoices } from "#shared/domain/validation/panel-choice.ts";
import { microDollars, oneLine, oneOf, orNone, someOf, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** From a folder to a run, and how far that one has come. */
export function addRunCommands({ command, end }: CommandList): void {
  command("init", "make the folder a jj repository where needed, and write .hox/config.toml")
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./init.ts")).init(options)));

  command("run", "take a goal from plan to landed result, or go on with the run that waits")
    .option("--goal <text>", "what the run should achieve")
    .option(
      "--idea <n>",
      "the goal that `hox ideas` counts so; --goal says it in other words",
      wholeNumber(1, 100_000),
    )
    .option("--again", "the goal of the run that failed or was stopped, on what it brought together")
    .option("--orchestrators <n>", "how many; otherwise the root orchestrator decides", wholeNumber(1, 32))
    .option(
      "--attempts <n>",
      "so many agents try each task side by side, and you choose; costs as often",
      wholeNumber(1, mostAttempts),
    )
    .option("--quick", "one agent without plan or votes: it works, its checks run, you land it")
    .option("--no-quick", "with a plan, where run.quick of the configuration says otherwise")
    .option(
      "--validators <who>",
      "one, or panel (validation.validator_count of them); default: one, and a panel for a large or risky result",
      oneOf(validatorChoices),
    )
    .option("--max-tokens <n>", "hard stop after so many tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "hard stop after so many US dollars, or none", orNone(microDollars))
    .option(
      "--max-iterations <n>",
      "iterations of each agent on its task, before you are asked",
      wholeNumber(1, 1_000),
    )
    .option("--onto <revset>", "the change to build on, or the branch to build and land on (default: yours)")
    .option("--model <name>", "the model of this run", oneLine)
    .option(
      "--rehearsal <name>",
      "a scripted model instead of a real one; without --repo on a copy of its example",
      oneLine,
    )
    .option(
      "--approve <gates>",
      `decisions to make in advance: ${gates.join(", ")} (questions: the first option; patterns: only in a rehearsal)`,
      someOf(gates),
    )
    .option("--take-over", "also where another Hox works here: it saves, lets go and looks on")
    .addOption(new Option("--pace <ms>", "of a scripted model").argParser(wholeNumber(0, 10_000)).hideHelp())
    .action(async (options) => end(await (await import("./run.ts")).run(options)));

  command("status", "the run, its agents, what waits for you, and the budget").action(async (options) =>
    end(await (await import("./status.ts")).status(options)),
  );
}
