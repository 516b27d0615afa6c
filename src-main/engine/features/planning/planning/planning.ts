import { plan as planShape } from "#shared/contract/plan-inputs.ts";
import { writeMetadata } from "#shared/domain/graph-words/write-trailers.ts";
import { type Plan, type PlanProblem, quickPlan, withAttempts } from "#shared/domain/plan/plan.ts";
import { recounted } from "#shared/domain/plan/plan-check.ts";
import { asProposed } from "#shared/domain/plan/plan-workflow.ts";
import { withValidators } from "#shared/domain/validation/panel.ts";
import { readNamedAgents } from "../../../conversations/named-agents.ts";
import { readInstructions } from "../../../conversations/project-instructions.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import type { Run, RunGraph, RunReader, RunWriter } from "../../../ports.ts";
import { withinLimits } from "../../../start-run.ts";
import { isQuick, rootOf, scoped, workflowIn } from "../../../workers/hierarchy.ts";
import { workflowEvents, workflowFor } from "../../../workflow/run-workflow.ts";
import { prepareDelegatedRun } from "../delegation/feature.ts";
import { planRequest } from "./plan-request.ts";
import { depthRefused, problemsOf, reasonsToAsk } from "./plan-rules.ts";
import { prepareBase } from "./prepare-base.ts";
import { scanOf } from "./repository-scan.ts";
import { takenClaimTexts, takenOn } from "./taken-claims.ts";
import { createTasks } from "./task-changes.ts";

/** How often an invalid plan goes back to its author before the user sees it. */
const ownCorrections = 2;

/**
 * One round of an orchestrator's planning: a proposal, the user's approval if needed, and the tasks on the
 * graph.
 */
export async function planRun(run: Run, orchestrator: string, round: number): Promise<void> {
  const { plan: known, planApproved } = run.orchestratorFacts(orchestrator);
  const plan =
    planApproved && known !== null
      ? known
      : isQuick(run) && orchestrator === rootOf(run)
        ? await planByHost(run)
        : await approvedPlan(run, orchestrator, round);
  if (plan === null) {
    run.dispatch({ kind: "PlanRejected" }, orchestrator);
    return;
  }
  if (workflowIn(run, orchestrator).contracts.mode === "off") await passContracts(run, orchestrator);
  await createTasks(run, orchestrator, plan);
  run.dispatch(
    {
      kind: "PlanningComplete",
      tasks: plan.tasks.map(({ id, phase, after }) => ({ task: id, phase, after })),
    },
    orchestrator,
  );
}

/** For a quick run: the goal is the one task, which its start has approved. */
async function planByHost(run: Run): Promise<Plan> {
  await Promise.all([prepareBase(run), readInstructions(run), readNamedAgents(run)]);
  const { goal, attempts, validators } = run.row.input;
  const plan = withValidators(withAttempts(quickPlan(goal, run.facts.limits), attempts), validators);
  run.append(
    { kind: "PlanProposed", orchestrator: rootOf(run), plan },
    { kind: "PlanApproved", orchestrator: rootOf(run), plan },
    ...workflowEvents(run, rootOf(run), plan),
  );
  return plan;
}

/** The approved plan of this round; null if it goes back to its author with the reasons. */
async function approvedPlan(run: Run, orchestrator: string, round: number): Promise<Plan | null> {
  const isRoot = orchestrator === rootOf(run);
  // The base is known from the start, so both run in parallel.
  const [scan] = await Promise.all([
    scanOf(run),
    isRoot ? prepareBase(run) : prepareDelegatedRun(run, orchestrator),
    ...(isRoot ? [readInstructions(run), readNamedAgents(run)] : []),
  ]);
  const answer = await askOrchestrator(
    run,
    orchestrator,
    `plan/${round}`,
    round === 1 ? "plan" : "plan changed",
    planRequest(run, orchestrator, round, scan),
  );
  const proposed = withAttempts(asProposed(planShape.parse(answer.value)), run.row.input.attempts);
  const plan = isRoot
    ? withValidators(withinLimits(proposed, run.facts.limits), run.row.input.validators)
    : proposed;
  const problems = problemsOf(run, orchestrator, plan, scan);
  const fatal = problems.filter((problem) => problem.severity === "fatal");
  run.append({ kind: "PlanProposed", orchestrator, plan });
  const sendBack = (reason: string): null => {
    run.append({ kind: "PlanRefused", orchestrator, round, reason });
    return null;
  };
  // Overlaps with another run are the user's to settle: its author was warned before.
  const own = fatal.filter(({ kind }) => kind !== "taken");
  if (own.length > 0 && round <= ownCorrections)
    return sendBack(own.map((problem) => problem.text).join("\n"));
  const tooDeep = await depthRefused(run, orchestrator, round, plan);
  if (tooDeep !== null) return sendBack(tooDeep);

  const { gates } = run.config;
  const reasons = reasonsToAsk(run, orchestrator, plan);
  const bySelf = (isRoot ? gates.plan : gates.subplans) === "auto";
  const touching = problems.filter(({ kind }) => kind === "overlap" || kind === "import");
  // Without a reader its author looks again first, and the user only if it is meant.
  if (bySelf && touching.length > 0 && isFirstTouching(run, orchestrator, round))
    return sendBack(formatTouching(touching));
  const card = `${run.id}/${scoped(orchestrator, `plan/${round}`)}`;
  const decision =
    bySelf && fatal.length === 0 && touching.length === 0 && reasons.length === 0
      ? ({ kind: "approve" } as const)
      : await run.inbox.ask(
          card,
          () => ({
            kind: "plan",
            orchestrator,
            plan,
            workflow: workflowFor(run, plan),
            problems: [...reasons, ...problems.map((problem) => problem.text)],
            ...takenOn(takenClaimTexts(run, orchestrator, plan)),
          }),
          run.runEnded.signal,
        );
  if (decision.kind !== "approve") return sendBack(decision.kind === "reject" ? decision.reason : "");
  // The user may have changed it while it waited, in a terminal for instance.
  const shown = run.journal.inboxItem(card)?.item;
  const approved = recounted(
    ("plan" in decision ? decision.plan : undefined) ?? (shown?.kind === "plan" ? shown.plan : plan),
  );
  // Another run's plan may have been approved between the answer and now.
  const taken = takenClaimTexts(run, orchestrator, approved);
  if (taken.length > 0) return sendBack(taken.join("\n"));
  run.append(
    { kind: "PlanApproved", orchestrator, plan: approved },
    ...workflowEvents(run, orchestrator, approved),
    ...(isRoot ? [{ kind: "RunLimitsSet", limits: approved.budget } as const] : []),
  );
  return approved;
}

/** Without contracts the tasks' base is complete as it is, and is not called contracts. */
async function passContracts(run: RunReader & RunWriter & RunGraph, orchestrator: string): Promise<void> {
  const { base } = run.orchestratorFacts(orchestrator);
  if (base === null) return;
  await run.step(scoped(orchestrator, "contracts-passed"), async () => {
    const { description } = await readChange(run, base);
    await run.repository.describe(
      base,
      writeMetadata(description.replace(/^Contracts: /u, "Begin: "), { status: "done" }),
      { actor: orchestrator, request: `${run.id}/${scoped(orchestrator, "contracts-passed")}` },
    );
  });
  await run.refreshChanges();
}

/** Whether this is the first round whose tasks side by side touch each other; the same after a restart. */
function isFirstTouching(run: RunReader & RunWriter, orchestrator: string, round: number): boolean {
  run.append({ kind: "TouchingFound", orchestrator, round });
  return run.orchestratorFacts(orchestrator).firstTouching === round;
}

const formatTouching = (problems: readonly PlanProblem[]): string =>
  [
    "Tasks that run at the same time touch each other:",
    ...problems.map(({ text }) => `- ${text}`),
    "Cut them apart, join them, let one wait for the other with `after`, or put what they share into the contracts. If they must stay as they are, propose them again: then the user is asked.",
  ].join("\n");
