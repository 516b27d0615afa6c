/** The plan of a run, and its amendments. */
import type { RunView } from "#shared/contract/views/run.ts";
import { isRoot, rootOrchestrator } from "#shared/domain/change-metadata/address.ts";
import { priorities } from "#shared/domain/change-metadata/metadata.ts";
import { agentsNote, type Plan, type PlanProblem } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { editLine, freeId, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { stageModes, type Workflow, workflowStages } from "#shared/domain/workflow/workflow.ts";
import {
  CommandError,
  type CommonOptions,
  exitCode,
  oneLine,
  oneOf,
  wholeNumber,
  words,
} from "../command-line.ts";
import { type CommandRow, clientRow, isConfirmed, takesEffect, unknownName } from "../command-table.ts";
import { consent } from "../consent.ts";
import { show } from "../output.ts";
import type { RunClient } from "../run/run-client.ts";

interface PlanOptions extends CommonOptions {
  /** Default: the root. */
  readonly orchestrator?: string;
}

const ofPlan = { "--orchestrator <name>": ["whose plan (default: O-A-1)", oneLine] } as const;
const task = ["ID in the plan", oneLine] as const;

export const planRows: readonly CommandRow[] = [
  clientRow(
    "plan",
    "show the plan of the run, the progress of each task, and errors",
    ofPlan,
    async (given, client) => {
      const { run, plan, name, workflow } = await planOf(client, given);
      const approved = run.orchestrators.find((one) => one.name === name)?.planApproved ?? false;
      // Of a run that has ended the plan alone is checked.
      const problems =
        run.endedAt === null
          ? (await client.execute("plan.check", { run: run.id, orchestrator: name, plan })).problems
          : checkPlan(plan);
      const value = { orchestrator: name, approved, plan, workflow, problems };
      show(given, value, planLines(run, name, plan, { approved, workflow, problems }));
    },
  ),
  clientRow(
    "plan add",
    "add a task; it gets an agent when its dependencies are done",
    {
      "<title>": ["title of the task", oneLine],
      ...ofPlan,
      "--id <word>": ["ID in the plan (default: from the title)", oneLine],
      "--phase <n>": ["phase (default: the current one)", wholeNumber(1, 50)],
      "--after <tasks>": ["IDs of tasks that must finish first, separated by commas", words],
      "--files <paths>": ["files it can change: paths, folders/ or globs, separated by commas", words],
      "--priority <word>": [priorities.join(", "), oneOf(priorities)],
      "-m, --message <text>": "instructions for its agent",
    },
    (given, client) =>
      amend(client, given, ({ plan, run }) => {
        const { title, message: description = "", priority = "medium", files = [], after = [] } = given;
        const { id = freeId(plan, slugOf(title)), phase = Math.max(1, run.phase) } = given;
        return { kind: "add", task: { id, title, description, phase, priority, files, after } };
      }),
  ),
  clientRow(
    "plan remove",
    "remove a task; tasks that depend on it then depend on its dependencies",
    { "<task>": task, ...ofPlan, "-y, --yes": isConfirmed },
    (given, client) =>
      amend(client, given, async ({ plan, run }) => {
        known(plan, given.task);
        const worker = run.workers.find((one) => one.task === given.task && one.replacedBy === null);
        if (worker && worker.status !== "open")
          await consent(given, `${worker.name} works on “${shownLine(worker.title)}”. Remove the task?`);
        return { kind: "remove", task: given.task };
      }),
  ),
  ...(["link", "unlink"] as const).map((kind) =>
    clientRow(
      `plan ${kind}`,
      kind === "link"
        ? "make a task that has not started depend on another task"
        : "remove a dependency of a task that has not started",
      { "<task>": task, "<after>": ["ID of the task that it depends on", oneLine], ...ofPlan },
      (given, client) =>
        amend(client, given, ({ plan }) => ({
          kind,
          task: known(plan, given.task),
          after: known(plan, given.after),
        })),
    ),
  ),
  clientRow(
    "plan move",
    "move a task that has not started to another phase",
    { "<task>": task, "<phase>": ["number of the phase", wholeNumber(1, 50)], ...ofPlan },
    (given, client) =>
      amend(client, given, ({ plan }) => ({
        kind: "move",
        task: known(plan, given.task),
        phase: given.phase,
      })),
  ),
  clientRow(
    "plan agents",
    "choose who works on a task; of several agents each tries it, and you choose one result",
    {
      "<task>": task,
      "<agents>": ["<agent>/<model> or a model, separated by commas; default: the agent of the run", words],
      ...ofPlan,
    },
    (given, client) =>
      amend(client, given, ({ plan }) => {
        const agents = given.agents.map((agent) => (agent === "default" ? "" : agent));
        return { kind: "change", task: known(plan, given.task), patch: { agents, attempts: agents.length } };
      }),
  ),
  clientRow(
    "plan workflow",
    "turn a workflow stage on or off; auto decides by its condition",
    {
      "<stage>": [workflowStages.join(", "), oneOf(workflowStages)],
      "<mode>": [stageModes.join(", "), oneOf(stageModes)],
      ...ofPlan,
    },
    (given, client) =>
      amend(client, given, () => ({ kind: "workflow", stage: given.stage, mode: given.mode })),
  ),
];

/** Sends one amendment. */
async function amend(
  client: RunClient,
  given: PlanOptions,
  editOf: (found: FoundPlan) => PlanEdit | Promise<PlanEdit>,
): Promise<void> {
  const found = await planOf(client, given);
  const edit = await editOf(found);
  await client.execute("plan.amend", { run: found.run.id, orchestrator: found.name, edits: [edit] });
  const { plan } = await planOf(client, given);
  show(
    given,
    { kind: "amended", live: client.isLive, orchestrator: found.name, edit, plan },
    `Done: ${shownLine(editLine(edit))}.${takesEffect(client)}`,
  );
}

interface FoundPlan {
  readonly run: RunView;
  readonly plan: Plan;
  readonly name: string;
  readonly workflow: Workflow | null;
}

async function planOf(client: RunClient, { orchestrator }: PlanOptions): Promise<FoundPlan> {
  const [run, { inbox }] = [await client.run(orchestrator), await client.state(orchestrator)];
  const names = run.orchestrators.map((one) => one.name);
  const name = orchestrator ?? names.find(isRoot) ?? rootOrchestrator;
  const own = run.orchestrators.find((one) => one.name === name);
  if (!own)
    throw new CommandError(
      `No orchestrator named ${name} in this run.`,
      `Available: ${names.join(", ")}.`,
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
  throw unknownName(`No task ${task} in the plan.`, task, ids);
}

function planLines(
  run: RunView,
  name: string,
  plan: Plan,
  {
    approved,
    workflow,
    problems,
  }: {
    readonly approved: boolean;
    readonly workflow: Workflow | null;
    readonly problems: readonly PlanProblem[];
  },
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
          const by = agentsNote(task) && `, by ${agentsNote(task)}`;
          return `    ${task.id.padEnd(14)} ${(worker?.status ?? "planned").padEnd(12)} ${task.priority.padEnd(9)} ${shownLine(task.title)}${shownLine(waits)}${shownLine(by)}`;
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
    ...problems.map((problem) => `  ${problem.severity}: ${shownLine(problem.text)}`),
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
