/**
 * The workflow that a plan needs. The condition of contracts is decided here, that of reviews as far as the plan decides
 * it; the others depend on the work (`workflow/result-conditions.ts`). Checks always run. (docs/decisions/0012)
 */

import { shownName } from "../text/shown-text.ts";
import {
  decideStage,
  eachStage,
  type StageDecision,
  undecidedWorkflow,
  type Workflow,
  type WorkflowSettings,
  workflowStages,
} from "../workflow/workflow.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { mayMeet } from "./plan-check.ts";
import { withFilesOfSymbols } from "./symbol-overlap.ts";

/** The workflow of a run, or of one part of it, for a plan and the repository's settings. */
export function decideWorkflow(plan: Plan, settings: WorkflowSettings, isQuick = false): Workflow {
  const contracts = contractsCondition(plan);
  const byCondition: Workflow = {
    ...undecidedWorkflow,
    contracts,
    reviews: reviewsCondition(plan, contracts.mode === "on"),
    ...(isQuick ? { panel: noValidators } : {}),
  };
  return eachStage((stage) =>
    decideStage(stage, settings[stage], plan.workflow?.[stage], byCondition[stage]),
  );
}

const noValidators: StageDecision = {
  mode: "off",
  by: "quick",
  reason: "A quick run has no validators unless you choose them.",
};
const on = (reason: string): StageDecision => ({ mode: "on", by: "condition", reason });
const off = (reason: string): StageDecision => ({ mode: "off", by: "condition", reason });

function contractsCondition({ contracts, tasks }: Plan): StageDecision {
  for (const file of contracts.files) {
    const users = tasks.filter((task) => usesFile(task, file)).map(({ id }) => `"${id}"`);
    if (users.length > 1) return on(`${users.join(", ")} use ${shownName(file)}.`);
  }
  return off(tasks.length < 2 ? "There is only one task." : "No two tasks use the same contract file.");
}

function reviewsCondition({ tasks }: Plan, hasContracts: boolean): StageDecision {
  const [first] = tasks;
  if (tasks.length < 2) return off("There is only one task.");
  if (hasContracts) return on("Tasks share a contract.");
  if (tasks.some(({ after, phase }) => after.length > 0 || phase !== first?.phase))
    return on("Tasks build on each other.");
  if (tasks.some(({ delegate }) => delegate === true)) return on("A part is too large for one review.");
  return undecidedWorkflow.reviews;
}

/** File names that say nothing about what is in them. */
const genericNames = new Set(
  "index main types type common shared utils util contract contracts api core lib mod test tests".split(" "),
);

const escapeWord = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/]/gu, "\\$&");

/** Whether a task claims a file, or its text mentions the path, the name, or "the contract". */
function usesFile(task: PlannedTask, file: string): boolean {
  if (task.files.some((claim) => mayMeet(claim, file))) return true;
  const text = `${task.title}\n${task.description}`.toLowerCase();
  const path = file.toLowerCase().replace(/\/$/u, "");
  const name = path.split("/").at(-1) ?? path;
  const stem = name.split(".", 1)[0] ?? "";
  const mentions = (word: string): boolean =>
    new RegExp(`(?<![\\p{L}\\p{N}_])${escapeWord(word)}(?![\\p{L}\\p{N}_])`, "u").test(text);
  return (
    mentions(path) ||
    mentions(name) ||
    (stem.length >= 4 && !genericNames.has(stem) && mentions(stem)) ||
    mentions("contract") ||
    mentions("contracts")
  );
}

/**
 * A plan as its author may propose it: the author turns stages on, and only contracts off, and never chooses in the user's
 * name. A task claims the files of the symbols that it names.
 */
export function asProposed(proposed: Plan): Plan {
  const plan = { ...proposed, tasks: proposed.tasks.map(withFilesOfSymbols) };
  const { workflow, ...rest } = plan;
  if (workflow === undefined) return plan;
  const choices = workflowStages.flatMap((stage) => {
    const choice = workflow[stage];
    return choice && (choice.mode === "on" || stage === "contracts")
      ? [[stage, { mode: choice.mode, reason: choice.reason }]]
      : [];
  });
  return { ...rest, workflow: Object.fromEntries(choices) };
}
