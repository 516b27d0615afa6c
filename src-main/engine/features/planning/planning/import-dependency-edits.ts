/**
 * A plan that a person amended with jj itself: ancestry is the dependency, so a task that was rebased waits for what it
 * stands on now. (design section 2)
 */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { linkedAs } from "#shared/domain/plan/plan-edit.ts";
import { waitsElsewhere } from "#shared/domain/plan/plan-moved.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunReader, RunScreen, RunWriter } from "../../../ports.ts";
import { orchestratorsOf, workerOnTask } from "../../../workers/hierarchy.ts";
import { amendmentOf, taskStatusOf } from "./amendment-record.ts";
import { planNews } from "./plan-news.ts";

/** Takes over what tasks that nobody has begun stand on now. Costs no process: the changes were just read. */
export function importDependencyEdits(run: RunReader & RunWriter & RunScreen): void {
  for (const orchestrator of orchestratorsOf(run)) {
    const { plan } = run.orchestratorFacts(orchestrator);
    const { stage } = run.stateOf(orchestrator).course;
    // While an amendment is being made, the graph is on its way to the plan and not the other way round.
    if (plan === null || (stage !== "executing" && stage !== "integrating")) continue;
    if (amendmentOf(run, orchestrator) !== null) continue;
    const moved = movedByHand(run, orchestrator, plan);
    if (moved.length > 0) takeOver(run, orchestrator, plan, moved);
  }
}

interface Moved {
  readonly task: string;
  readonly after: readonly string[];
}

function movedByHand(run: RunReader, orchestrator: string, plan: Plan): readonly Moved[] {
  const open = new Set(
    run.stateOf(orchestrator).tasks.flatMap((one) => (one.state === "open" ? [one.task] : [])),
  );
  const byCommit = new Map<string, Change>([...run.changes.values()].map((one) => [one.commitId, one]));
  const taskOf = new Map(
    plan.tasks.flatMap(({ id }) => {
      const changeId = workerOnTask(run, orchestrator, id)?.changeId;
      return changeId ? [[changeId, id] as const] : [];
    }),
  );
  return plan.tasks.flatMap((task) => {
    const worker = workerOnTask(run, orchestrator, task.id);
    const change = worker?.changeId ? run.changes.get(worker.changeId) : undefined;
    if (!change || !worker || !roles[worker.role].canWriteTask || !open.has(task.id)) return [];
    if (taskStatusOf(run, orchestrator, task.id) !== "open") return [];
    const stands = change.parents.flatMap((commit) => taskOf.get(byCommit.get(commit)?.changeId ?? "") ?? []);
    const elsewhere = waitsElsewhere(plan, task, stands, (id) => open.has(id));
    return elsewhere ? [{ task: task.id, after: stands }] : [];
  });
}

function takeOver(
  run: RunWriter & RunScreen,
  orchestrator: string,
  plan: Plan,
  moved: readonly Moved[],
): void {
  const next = moved.reduce((now, { task, after }) => linkedAs(now, task, after), plan);
  const fatal = checkPlan(next).find((problem) => problem.severity === "fatal");
  if (fatal) {
    run.emit({
      kind: "notice",
      level: "warning",
      text: `A task was moved in the graph, but the plan can't be updated to match: ${fatal.text}`,
      remedy: "Move it elsewhere with `jj rebase`, or undo the move with `jj undo`.",
    });
    return;
  }
  const changed = next.tasks.filter((task, index) => task !== plan.tasks[index]);
  if (
    changed.every(
      (task) => JSON.stringify(task) === JSON.stringify(plan.tasks.find(({ id }) => id === task.id)),
    )
  )
    return;
  run.append(
    { kind: "PlanRevised", orchestrator, plan: next },
    ...planNews(orchestrator, moved.map(lineOf)),
    {
      kind: "StageMoved",
      orchestrator,
      event: {
        kind: "PlanAmended",
        added: [],
        relinked: changed.map(({ id, phase, after }) => ({ task: id, phase, after })),
        removed: [],
      },
    },
  );
  for (const one of moved) run.appendTranscript("hox", { kind: "notice", text: `The user ${lineOf(one)}.` });
}

const lineOf = ({ task, after }: Moved): string =>
  after.length === 0
    ? `put "${task}" on the contracts, so that it waits for no other task`
    : `let "${task}" wait for ${after.map((id) => `"${id}"`).join(" and ")} on the graph`;
