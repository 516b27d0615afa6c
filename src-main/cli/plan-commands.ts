import type { Command } from "commander";
import { priorities } from "#shared/domain/graph-words/metadata.ts";
import { stageModes, workflowStages } from "#shared/domain/workflow/workflow.ts";
import { oneLine, oneOf, wholeNumber, words } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** The plan of a run, and what may be changed in it while the run goes on. */
export function addPlanCommands({ command, end }: CommandList): void {
  const plan = async () => import("./plan.ts");
  const planCommand = command("plan", "the plan of the run, how far each task has come, and what is wrong")
    .option("--orchestrator <name>", "whose plan (default: O-A-1)", oneLine)
    .action(async (options) => end(await (await plan()).showPlan(options)));
  const amendment = (name: string, description: string): Command =>
    withCommonOptions(planCommand.command(name).description(description)).option(
      "--orchestrator <name>",
      "whose plan (default: O-A-1)",
      oneLine,
    );

  amendment("add", "a task joins the run; it gets an agent when its turn comes")
    .argument("<title>", "what it is called", oneLine)
    .option("--id <word>", "its name in the plan (default: from the title)", oneLine)
    .option("--phase <n>", "default: the one that goes on", wholeNumber(1, 50))
    .option("--after <tasks>", "names of tasks that it waits for, with commas between", words)
    .option("--files <paths>", "what it may touch: paths, folders/ or globs, with commas between", words)
    .option("--priority <word>", priorities.join(", "), oneOf(priorities))
    .option("-m, --message <text>", "what its agent is told")
    .action(async (title, options) => end(await (await plan()).addTask(title, options)));

  amendment("remove", "a task leaves the run; who waits for it waits for what it waited for")
    .argument("<task>", "its name in the plan", oneLine)
    .option("-y, --yes", "do not ask")
    .action(async (task, options) => end(await (await plan()).removeTask(task, options)));

  amendment("link", "a task that has not begun waits for another one")
    .argument("<task>", "its name in the plan", oneLine)
    .argument("<after>", "the name of the task that it waits for", oneLine)
    .action(async (task, after, options) => end(await (await plan()).linkTask(task, after, options)));

  amendment("unlink", "a task that has not begun no longer waits for another one")
    .argument("<task>", "its name in the plan", oneLine)
    .argument("<after>", "the name of the task that it waited for", oneLine)
    .action(async (task, after, options) => end(await (await plan()).unlinkTask(task, after, options)));

  amendment("move", "a task that has not begun comes to another phase")
    .argument("<task>", "its name in the plan", oneLine)
    .argument("<phase>", "its number", wholeNumber(1, 50))
    .action(async (task, phase, options) => end(await (await plan()).moveTask(task, phase, options)));

  amendment("workflow", "turn a stage of the workflow on or off; auto leaves it to its condition")
    .argument("<stage>", workflowStages.join(", "), oneOf(workflowStages))
    .argument("<mode>", stageModes.join(", "), oneOf(stageModes))
    .action(async (stage, mode, options) => end(await (await plan()).setWorkflow(stage, mode, options)));
}
