/** `hox plan` and `hox plan add | remove | link | unlink | move`: the plan of a run, and its amendments. */

import type { RunView } from "#shared/contract/views/run.ts";
import { isRoot, rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import type { Priority } from "#shared/domain/graph-words/metadata.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { editLine, freeId, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import {
  type StageMode,
  type Workflow,
  type WorkflowStage,
  workflowStages,
} from "#shared/domain/workflow/workflow.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { type RunClient, withRunClient } from "./run-client.ts";

export interface PlanOptions extends CommonOptions {
  /** Default: the root. */
  readonly orchestrator?: string;
}

export interface AddOptions extends PlanOptions {
  readonly id?: string;
  readonly phase?: number;
  readonly after?: readonly string[];
  readonly files?: readonly string[];
  readonly priority?: Priority;
  readonly message?: string;
}

/** The plan as it is now, with how far each task has come and what is wrong. */
export const showPlan = (options: PlanOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run, plan, name, workflow } = await planOf(client, options);
    const own = run.orchestrators.find((one) => one.name === name);
    const problems = checkPlan(plan);
    if (options.json)
      printJson({
        orchestrator: name,
        approved: own?.planApproved ?? false,
        plan,
        workflow,
        problems,
      });
    else
      for (const line of planLines(run, name, plan, { approved: own?.planApproved ?? false, workflow }))
        print(line);
    return exitCode.done;
  });

export const addTask = (title: string, options: AddOptions): Promise<ExitCode> =>
  amend(options, (plan, run) => {
    const task = {
      id: options.id ?? freeId(plan, slugOf(title)),
      title,
      description: options.message ?? "",
      phase: options.phase ?? Math.max(1, run.phase),
      priority: options.priority ?? "medium",
      files: options.files ?? [],
      after: options.after ?? [],
    };
    return { kind: "add", task };
  });

export const removeTask = (
  task: string,
  options: PlanOptions & { readonly yes?: boolean },
): Promise<ExitCode> =>
  amend(options, async (plan, run) => {
    known(plan, task);
    const worker = run.workers.find((one) => one.task === task && one.replacedBy === null);
    if (worker && worker.status !== "open")
      await consent(options, `${worker.name} works on “${shownLine(worker.title)}”. Remove the task?`);
    return { kind: "remove", task };
  });

export const linkTask = (task: string, after: string, options: PlanOptions): Promise<ExitCode> =>
  amend(options, (plan) => ({ kind: "link", task: known(plan, task), after: known(plan, after) }));

export const unlinkTask = (task: string, after: string, options: PlanOptions): Promise<ExitCode> =>
  amend(options, (plan) => ({ kind: "unlink", task: known(plan, task), after: known(plan, after) }));

export const moveTask = (task: string, phase: number, options: PlanOptions): Promise<ExitCode> =>
  amend(options, (plan) => ({ kind: "move", task: known(plan, task), phase }));

export const setWorkflow = (stage: WorkflowStage, mode: StageMode, options: PlanOptions): Promise<ExitCode> =>
  amend(options, () => ({ kind: "workflow", stage, mode }));

/** Sends one amendment, and prints the result. */
function amend(
  options: PlanOptions,
  editOf: (plan: Plan, run: RunView) => PlanEdit | Promise<PlanEdit>,
): Promise<ExitCode> {
  return withRunClient(options, async (client) => {
    const { run, plan, name } = await planOf(client, options);
    const edit = await editOf(plan, run);
    await client.execute("plan.amend", { orchestrator: name, edits: [edit] });
    const after = await planOf(client, options);
    if (options.json)
      printJson({ kind: "amended", live: client.isLive, orchestrator: name, edit, plan: after.plan });
    else
      print(
        `Done: ${shownLine(editLine(edit))}.${client.isLive ? "" : " Takes effect when the run resumes: hox run"}`,
      );
    return exitCode.done;
  });
}

const rootIn = (run: RunView): string =>
  run.orchestrators.find(({ name }) => isRoot(name))?.name ?? rootOrchestrator;

async function planOf(
  client: RunClient,
  options: PlanOptions,
): Promise<{
  readonly run: RunView;
  readonly plan: Plan;
  readonly name: string;
  readonly workflow: Workflow | null;
}> {
  const { run, inbox } = await client.state(options.orchestrator);
  if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
  const name = options.orchestrator ?? rootIn(run);
  const own = run.orchestrators.find((one) => one.name === name);
  if (!own)
    throw new CommandError(
      `No orchestrator named ${name} in this run.`,
      `Available: ${run.orchestrators.map((one) => one.name).join(", ")}.`,
      exitCode.usage,
    );
  if (!own.plan)
    throw new CommandError(
      `${name} has no plan yet.`,
      "Wait until it proposes one: `hox status` shows when it does.",
    );
  const card = inbox.find((item) => item.kind === "plan" && item.orchestrator === name);
  const proposed = card?.kind === "plan" ? card.workflow : undefined;
  return { run, plan: own.plan, name, workflow: own.workflow ?? proposed ?? null };
}

function known(plan: Plan, task: string): string {
  const ids = plan.tasks.map(({ id }) => id);
  if (ids.includes(task)) return task;
  const near = nearestWord(task, ids);
  throw new CommandError(
    `No task ${task} in the plan.`,
    `${near ? `Did you mean ${near}? ` : ""}Available: ${ids.join(", ")}.`,
    exitCode.usage,
  );
}

function planLines(
  run: RunView,
  name: string,
  plan: Plan,
  { approved, workflow }: { readonly approved: boolean; readonly workflow: Workflow | null },
): readonly string[] {
  const working = (task: string) =>
    run.workers.find((one) => one.task === task && one.parent === name && one.replacedBy === null);
  return [
    `${name}: ${shownLine(plan.goal)}${approved ? "" : " (proposed; approve or reject it with hox answer)"}`,
    ...(workflow?.contracts.mode === "off" ? [] : [`  contracts: ${shownLine(plan.contracts.title)}`]),
    ...plan.phases.flatMap(({ number, title }) => [
      `  phase ${number}: ${shownLine(title)}`,
      ...plan.tasks
        .filter((task) => task.phase === number)
        .map((task) => {
          const worker = working(task.id);
          const waits = task.after.length === 0 ? "" : `, after ${task.after.join(", ")}`;
          return `    ${task.id.padEnd(14)} ${(worker?.status ?? "planned").padEnd(12)} ${task.priority.padEnd(9)} ${shownLine(task.title)}${shownLine(waits)}`;
        }),
    ]),
    `  integration: ${shownLine(plan.integration?.title ?? "none")}`,
    ...(workflow === null
      ? []
      : [
          "  workflow:",
          ...workflowStages.map((stage) => {
            const { mode, reason } = workflow[stage];
            return `    ${stage.padEnd(14)} ${mode.padEnd(12)} ${shownLine(reason)}`;
          }),
        ]),
    ...checkPlan(plan).map((problem) => `  ${problem.severity}: ${shownLine(problem.text)}`),
  ];
}

/** A short name from a title's first words. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, " ")
    .trim()
    .split(" ")
    .slice(0, 3)
    .join("-") || "task";
