import { assignmentBookmark } from "#shared/domain/address.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan.ts";
import { checkPlan } from "#shared/domain/plan-check.ts";
import { ranksBetween } from "#shared/domain/rank.ts";
import { scoped } from "./chain-of-command.ts";
import { askOrchestrator } from "./orchestrator.ts";
import { planShape } from "./orchestrator-events.ts";
import { patternLines, prompt, section } from "./prompts.ts";
import { importMap, type RepositoryScan, scanOf } from "./repository-scan.ts";
import type { Run } from "./run.ts";
import { describeChange, refreshChanges } from "./run-changes.ts";
import { prepareBase } from "./start-run.ts";

/** Plans that cannot stand are sent back to their author so many times before a person sees them. */
const ownCorrections = 2;

/** One round of planning: a proposal, a person's word, and the tasks on the graph. */
export async function planRun(run: Run, orchestrator: string, round: number): Promise<void> {
  // What is built on is known since the start, so both go on at once.
  const [scan] = await Promise.all([scanOf(run), prepareBase(run)]);
  const answer = await askOrchestrator(
    run,
    orchestrator,
    `plan/${round}`,
    round === 1 ? "plan" : "plan changed",
    request(run, orchestrator, round, scan),
  );
  const plan = planShape.parse(answer.value);
  const problems = checkPlan(plan, scan?.graph);
  const fatal = problems.filter((problem) => problem.severity === "fatal");
  run.noteOwn(orchestrator, { plan });
  if (fatal.length > 0 && round <= ownCorrections) {
    run.journal.setFact(
      run.id,
      scoped(orchestrator, `plan-rejected/${round}`),
      fatal.map((problem) => problem.text).join("\n"),
    );
    run.dispatch({ kind: "PlanRejected" }, orchestrator);
    return;
  }
  const decision =
    run.config.gates.plan === "auto" && fatal.length === 0
      ? ({ kind: "approve" } as const)
      : await run.inbox.ask(
          `${run.id}/${scoped(orchestrator, `plan/${round}`)}`,
          () => ({ kind: "plan", plan, problems: problems.map((problem) => problem.text) }),
          run.ending.signal,
        );
  if (decision.kind !== "approve") {
    const reason = decision.kind === "reject" ? decision.reason : "";
    run.journal.setFact(run.id, scoped(orchestrator, `plan-rejected/${round}`), reason);
    run.dispatch({ kind: "PlanRejected" }, orchestrator);
    return;
  }
  const approved = ("plan" in decision ? decision.plan : undefined) ?? plan;
  await run.step(scoped(orchestrator, "plan-approved"), async () => {
    // What the person said when starting holds over what a model proposes.
    const { limits } = run.facts;
    run.noteOwn(orchestrator, { plan: approved, planApproved: true });
    run.note({
      limits: {
        tokens: limits.tokens ?? approved.budget.tokens,
        microDollars: limits.microDollars ?? approved.budget.microDollars,
      },
    });
  });
  await createTasks(run, orchestrator, approved);
  run.dispatch(
    {
      kind: "PlanningComplete",
      tasks: approved.tasks.map(({ id, phase, after }) => ({ task: id, phase, after })),
    },
    orchestrator,
  );
}

function request(run: Run, orchestrator: string, round: number, scan: RepositoryScan | null): string {
  const { plan } = run.own(orchestrator);
  const { goal, orchestrators } = run.row.input;
  const reason = run.journal.fact<string>(run.id, scoped(orchestrator, `plan-rejected/${round - 1}`));
  return prompt(
    section("Goal", [goal]),
    section("Orchestrators", orchestrators === null ? [] : [`The user wants ${orchestrators}.`]),
    section(
      "Budget",
      [
        run.facts.limits.tokens === null ? "" : `At most ${run.facts.limits.tokens} tokens.`,
        run.facts.limits.microDollars === null
          ? ""
          : `At most ${(run.facts.limits.microDollars / 1e6).toFixed(2)} US dollars.`,
      ].filter((line) => line !== ""),
    ),
    section("Learned patterns", patternLines(run.facts.patterns)),
    section(
      "Why the last plan was not accepted",
      reason === undefined ? [] : [reason || "No reason was given."],
    ),
    plan === null || round === 1 ? "" : section("The last plan", [JSON.stringify(plan, null, 1)]),
    section("Import map", importMap(scan)),
  );
}

export const agentName = (index: number): string => `agent-${index + 1}`;

/** One change per task: dependencies are ancestry, the assignment is a bookmark. Makes only what is not there yet. */
async function createTasks(run: Run, orchestrator: string, plan: Plan): Promise<void> {
  await refreshChanges(run);
  const ranks = ranksBetween(null, null, plan.tasks.length);
  const changes = new Map<string, string>();
  for (const task of inOrder(plan.tasks)) {
    const index = plan.tasks.indexOf(task);
    const name = agentName(index);
    const rank = ranks[index] ?? "";
    const existing = [...run.changes.values()].find(
      ({ metadata }) => metadata.kind === "task" && metadata.agent === name,
    );
    const changeId =
      existing?.changeId ??
      (
        await run.repository.newChange({
          parents: parentsOf(run, orchestrator, plan, task, changes),
          description: describeChange(task.title, task.description, {
            kind: "task",
            status: "open",
            priority: task.priority,
            rank,
            run: run.id,
            orchestrator,
            agent: name,
            phase: task.phase,
          }),
          actor: orchestrator,
          request: `${run.id}/${scoped(orchestrator, `task/${task.id}`)}`,
        })
      ).changeId;
    changes.set(task.id, changeId);
    await run.repository.setBookmark(assignmentBookmark(orchestrator, name), changeId, {
      allowBackwards: true,
      actor: orchestrator,
    });
    run.addWorker({
      name,
      role: "agent",
      parent: orchestrator,
      task: task.id,
      changeId,
      title: task.title,
      phase: task.phase,
      priority: task.priority,
      rank,
    });
  }
  await refreshChanges(run);
}

function parentsOf(
  run: Run,
  orchestrator: string,
  plan: Plan,
  task: PlannedTask,
  changes: ReadonlyMap<string, string>,
): readonly string[] {
  const { base } = run.own(orchestrator);
  if (base === null) throw new Error(`${orchestrator} has no base change yet.`);
  const earlier = plan.tasks.filter((one) => one.phase < task.phase);
  const last = Math.max(...earlier.map((one) => one.phase));
  // A phase builds on all of the one before, also where the plan does not say so.
  const before =
    task.after.length > 0 ? task.after : earlier.filter((one) => one.phase === last).map((one) => one.id);
  const parents = before.flatMap((id) => changes.get(id) ?? []);
  return parents.length > 0 ? parents : [base];
}

/** Tasks after those they wait for; the plan was checked to have no circle. */
function inOrder(tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const placed = new Set<string>();
  const ordered: PlannedTask[] = [];
  const left = [...tasks].sort((one, other) => one.phase - other.phase);
  while (left.length > 0) {
    const next = left.findIndex((task) => task.after.every((id) => placed.has(id)));
    const [task] = left.splice(Math.max(0, next), 1);
    if (!task) break;
    placed.add(task.id);
    ordered.push(task);
  }
  return ordered;
}
