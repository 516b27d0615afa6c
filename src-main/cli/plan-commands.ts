import type { Command } from "commander";
import { priorities } from "#shared/domain/graph-words/metadata.ts";
import { stageModes, workflowStages } from "#shared/domain/workflow/workflow.ts";
import { oneLine, oneOf, wholeNumber, words } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** The plan of a run, and what may be changed in it while the run goes on. */
export function addPlanCommands({ command, end }: CommandList): void {
  const plan = async () => import("./plan.ts");
  const planCommand = command("plan", "show the plan of the run, the progress of each task, and errors")
    .option("--orchestrator <name>", "whose plan (default: O-A-1)", oneLine)
    .action(async (options) => end(await (await plan()).showPlan(options)));
  const amendment = (name: string, description: string): Command =>
    withCommonOptions(planCommand.command(name).description(description)).option(
      "--orchestrator <name>",
      "whose plan (default: O-A-1)",
      oneLine,
    );

  amendment("add", "add a task; it gets an agent when its dependencies are done")
    .argument("<title>", "title of the task", oneLine)
    .option("--id <word>", "ID in the plan (default: from the title)", oneLine)
    .option("--phase <n>", "phase (default: the current one)", wholeNumber(1, 50))
    .option("--after <tasks>", "IDs of tasks that must finish first, separated by commas", words)
    .option("--files <paths>", "files it can change: paths, folders/ or globs, separated by commas", words)
    .option("--priority <word>", priorities.join(", "), oneOf(priorities))
    .option("-m, --message <text>", "instructions for its agent")
    .action(async (title, options) => end(await (await plan()).addTask(title, options)));

  amendment("remove", "remove a task; tasks that depend on it then depend on its dependencies")
    .argument("<task>", "ID in the plan", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (task, options) => end(await (await plan()).removeTask(task, options)));

  amendment("link", "make a task that has not started depend on another task")
    .argument("<task>", "ID in the plan", oneLine)
    .argument("<after>", "ID of the task that must finish first", oneLine)
    .action(async (task, after, options) => end(await (await plan()).linkTask(task, after, options)));

  amendment("unlink", "remove a dependency of a task that has not started")
    .argument("<task>", "ID in the plan", oneLine)
    .argument("<after>", "ID of the task to remove from its dependencies", oneLine)
    .action(async (task, after, options) => end(await (await plan()).unlinkTask(task, after, options)));

  amendment("move", "move a task that has not started to another phase")
    .argument("<task>", "ID in the plan", oneLine)
    .argument("<phase>", "number of the phase", wholeNumber(1, 50))
    .action(async (task, phase, options) => end(await (await plan()).moveTask(task, phase, options)));

  amendment("workflow", "turn a workflow stage on or off; auto decides by its condition")
    .argument("<stage>", workflowStages.join(", "), oneOf(workflowStages))
    .argument("<mode>", stageModes.join(", "), oneOf(stageModes))
    .action(async (stage, mode, options) => end(await (await plan()).setWorkflow(stage, mode, options)));
}
