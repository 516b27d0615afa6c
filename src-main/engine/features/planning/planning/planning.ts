import { plan as planShape } from "#shared/contract/plan-inputs.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import type { PlanProblem } from "#shared/domain/plan/plan.ts";
import { type Plan, quickPlan, withAttempts, withChosenAgents } from "#shared/domain/plan/plan.ts";
import { depthOf, recounted } from "#shared/domain/plan/plan-check.ts";
import { asProposed } from "#shared/domain/plan/plan-workflow.ts";
import { symbolHints } from "#shared/domain/plan/symbol-overlap.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { withValidators } from "#shared/domain/validation/panel.ts";
import type { RunState } from "#shared/run/state.ts";
import { createPatternStore } from "../../../../patterns/pattern-store.ts";
import { attachmentLines } from "../../../attached-files.ts";
import { learnedFor } from "../../../conversations/learned-patterns.ts";
import { readNamedAgents } from "../../../conversations/named-agents.ts";
import { instructionSection, readInstructions } from "../../../conversations/project-instructions.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { chooseRunBase } from "../../../graph-sync/run-base.ts";
import { warn } from "../../../kernel/notify.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { withinLimits } from "../../../start-run.ts";
import {
  contractsFor,
  decisionsFor,
  isQuick,
  parentOf,
  partOf,
  rootOf,
  scoped,
  workflowIn,
} from "../../../workers/hierarchy.ts";
import { workflowEvents, workflowFor } from "../../../workflow/run-workflow.ts";
import { checkLinesForPlan } from "../../../workspaces/check-options.ts";
import { createTasks } from "./plan-amendment.ts";
import {
  budgetLeft,
  depthRefused,
  problemsOf,
  reasonsToAsk,
  takenClaims,
  takenClaimTexts,
  takenOn,
} from "./plan-rules.ts";
import { importMap, outlinesFor, type RepositoryScan, scanOf } from "./repository-scan.ts";

/** How often an invalid plan goes back to its author before the user sees it. */
const ownCorrections = 2;

/**
 * One round of an orchestrator's planning: a proposal, the user's approval if needed, and the tasks on the
 * graph.
 *
 * @param untilLooked waits for what has to be settled before a plan counts
 */
export async function planRun(
  run: Run,
  orchestrator: string,
  round: number,
  untilLooked: () => Promise<void> = async () => {},
): Promise<void> {
  const { plan: known, planApproved } = run.orchestratorFacts(orchestrator);
  const plan =
    planApproved && known !== null
      ? known
      : isQuick(run) && orchestrator === rootOf(run)
        ? await planByHost(run)
        : await approvedPlan(run, orchestrator, round, untilLooked);
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

/** The current commit of the chosen change, which may have been rewritten. */
async function ontoNow(run: Run, onto: NonNullable<RunState["onto"]>): Promise<string> {
  const found = await run.repository.changesOf([onto.changeId]);
  // Where several share the id, the very one that was chosen.
  const now =
    found.find(({ commitId }) => commitId === onto.commitId) ?? (found.length === 1 ? found[0] : undefined);
  if (!now)
    throw new EngineRefusal(
      `Change ${onto.changeId.slice(0, 12)}, the base of this run, is no longer in the graph.`,
      "Restore it with `jj undo` or `jj op restore`, then retry; or stop the run and choose another base.",
    );
  if (now.commitId !== onto.commitId)
    run.append({ kind: "BaseMoved", onto: { ...onto, commitId: now.commitId } });
  return now.commitId;
}

/** O-A-1's base change on what was chosen, its workspace, and what earlier runs taught. Makes only what is missing. */
export async function prepareBase(run: Run): Promise<void> {
  if (run.facts.onto === null) {
    const { change, branch, isOnBranch } = await chooseRunBase(run.repository, run.row.input.onto);
    const { changeId, commitId } = change;
    run.append({ kind: "BaseChosen", onto: { changeId, commitId, isOnBranch }, branch });
  }
  const { onto } = run.facts;
  if (onto === null) throw new Error("No base was chosen.");
  await run.step("patterns", async () => {
    // Nice to have: a branch of patterns that cannot be read must not keep a run from starting.
    try {
      const { patterns, problems } = await createPatternStore(run).trusted();
      const files = patterns.length === 0 ? [] : await run.repository.listFiles(onto.commitId);
      run.append({ kind: "PatternsLoaded", patterns, work: contextOf(run.row.input.goal, files) });
      for (const problem of problems) warn(run, problem, "The run continues without it.");
    } catch (error) {
      warn(
        run,
        `Patterns could not be read: ${error instanceof Error ? error.message : error}`,
        "The run continues without them.",
      );
    }
  });
  await run.refreshChanges();
  if (run.orchestratorFacts(rootOf(run)).base === null) {
    const made = [...run.changes.values()].find(
      ({ metadata }) => metadata.kind === "base" && metadata.orchestrator === rootOf(run),
    );
    const base =
      made?.changeId ??
      (
        await run.repository.newChange({
          parents: [await ontoNow(run, onto)],
          description: describeChange(
            `Contracts: ${run.row.input.goal.trim().split("\n", 1)[0]}`,
            run.row.input.goal,
            {
              kind: "base",
              status: "in_progress",
              run: run.id,
              orchestrator: rootOf(run),
              phase: 0,
            },
          ),
          actor: rootOf(run),
          request: `${run.id}/base`,
        })
      ).changeId;
    run.append({ kind: "BaseCreated", orchestrator: rootOf(run), changeId: base });
  }
  const { base } = run.orchestratorFacts(rootOf(run));
  run.addWorker({
    name: rootOf(run),
    role: "orchestrator",
    parent: null,
    title: "Plans, decides, reviews",
    changeId: base,
  });
  if (base !== null) await run.workspaces.ensure(rootOf(run), base);
  await run.refreshChanges();
}

/** The approved plan of this round; null if it goes back to its author with the reasons. */
async function approvedPlan(
  run: Run,
  orchestrator: string,
  round: number,
  untilLooked: () => Promise<void>,
): Promise<Plan | null> {
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
  await untilLooked();
  const written = withAttempts(asProposed(planShape.parse(answer.value)), run.row.input.attempts);
  const proposed = withChosenAgents(written, run.orchestratorFacts(orchestrator).plan);
  const plan = isRoot
    ? withValidators(withinLimits(proposed, run.facts.limits), run.row.input.validators)
    : proposed;
  const outlines = await outlinesFor(run, plan);
  const problems = problemsOf(run, orchestrator, plan, scan, outlines);
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
  // Its author looks again once: the user decides only on what is meant, and reads about imports on the card.
  const isToRevise = bySelf ? touching.length > 0 : touching.some(({ kind }) => kind === "overlap");
  if (isToRevise && isFirstTouching(run, orchestrator, round))
    return sendBack(formatTouching(touching, symbolHints(plan.tasks, outlines)));
  const card = `${run.id}/${scoped(orchestrator, `plan/${round}`)}`;
  const decision =
    bySelf && fatal.length === 0 && touching.length === 0 && reasons.length === 0
      ? ({ kind: "approve" } as const)
      : await run.inbox.ask(card, () => ({
          kind: "plan",
          orchestrator,
          plan,
          workflow: workflowFor(run, plan),
          problems: [...reasons, ...problems.map((problem) => problem.text)],
          ...takenOn(takenClaimTexts(run, orchestrator, plan)),
        }));
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

/**
 * The planning prompt of an orchestrator.
 *
 * @param round 1, and one more for each plan that was not accepted
 */
function planRequest(run: Run, orchestrator: string, round: number, scan: RepositoryScan | null): PromptText {
  const { plan, refusals } = run.orchestratorFacts(orchestrator);
  const reason = refusals[round - 1];
  const isRoot = orchestrator === rootOf(run);
  return prompt(
    section("Goal", [quoteText(run.row.input.goal)]),
    section("Attachments", attachmentLines(run)),
    ...(isRoot ? [] : partSections(run, orchestrator)),
    section("Orchestrators", orchestratorLines(run, orchestrator)),
    section("Budget", budgetLines(run, orchestrator)),
    section("Checks", checkLinesForPlan(run)),
    section("Files of other active runs, which no task of yours may claim", pathLines(takenPaths(run))),
    instructionSection(run, isRoot ? null : partOf(run, orchestrator).files),
    learnedFor(run, orchestrator, "planner"),
    section(
      "Why the last plan was not accepted",
      reason === undefined ? [] : [reason === "" ? promptLine`No reason was given.` : quoteText(reason)],
    ),
    section("The last plan", plan === null || round === 1 ? [] : [quoteText(JSON.stringify(plan, null, 1))]),
    // A part's orchestrator looks at its own files.
    section("Import map", isRoot ? importMap(scan) : []),
  );
}

const takenPaths = (run: Run): readonly string[] => [...new Set(takenClaims(run).map(({ claim }) => claim))];

function partSections(run: RunReader, orchestrator: string): readonly PromptText[] {
  const parent = parentOf(run, orchestrator);
  const { title, description, files } = partOf(run, orchestrator);
  return [
    section("Your part", [
      promptLine`Given to you by ${parent}: ${title}`,
      promptLine``,
      quoteText(description),
    ]),
    section("Files that were given to you", pathLines(files)),
    section("Contracts that you inherit and cannot change", contractsFor(run, parent)),
    section(
      "Decisions that bind you",
      decisionsFor(run, parent).map((one) => promptLine`- ${one.title}: ${one.reason}`),
    ),
  ];
}

function orchestratorLines(run: RunReader, orchestrator: string): readonly PromptText[] {
  const { orchestrators } = run.row.input;
  if (orchestrator === rootOf(run))
    return orchestrators === null ? [] : [promptLine`The user wants ${orchestrators}.`];
  // The number that the user wants was used up by the root's plan.
  if (orchestrators !== null || depthOf(orchestrator) >= run.config.limits.orchestratorLevels)
    return [promptLine`Delegate nothing: every task of yours gets an agent.`];
  return [];
}

function budgetLines(run: RunReader, orchestrator: string): readonly PromptText[] {
  const { tokens, microDollars } = budgetLeft(run, orchestrator);
  return [
    ...(tokens === null ? [] : [promptLine`At most ${tokens} tokens.`]),
    ...(microDollars === null ? [] : [promptLine`At most ${(microDollars / 1e6).toFixed(2)} US dollars.`]),
  ];
}

/** Without contracts the tasks' base is complete as it is, and is not called contracts. */
async function passContracts(run: Run, orchestrator: string): Promise<void> {
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
function isFirstTouching(run: Run, orchestrator: string, round: number): boolean {
  run.append({ kind: "TouchingFound", orchestrator, round });
  return run.orchestratorFacts(orchestrator).firstTouching === round;
}

const formatTouching = (problems: readonly PlanProblem[], hints: readonly string[]): string =>
  [
    "Tasks that run at the same time touch each other:",
    ...[...problems.map(({ text }) => text), ...hints].map((text) => `- ${text}`),
    "Name in `symbols` what each changes in a shared file. Where they change the same lines, let one wait for the other with `after`, join them, or put what they share into the contracts. If they must stay as they are, propose them again: then the user is asked.",
  ].join("\n");

/** The base and the workspace of a part's orchestrator, as its parent's plan put them on the graph. */
async function prepareDelegatedRun(run: Run, name: string): Promise<void> {
  const { base, integration } = run.orchestratorFacts(name);
  if (base === null || integration === null) throw new Error(`${name} has no base change yet.`);
  await run.step(`${name}/begun`, async () => {
    await run.repository.setMetadata(
      [base, integration].map((change) => ({ change, patch: { status: "in_progress" } })),
      { actor: name, request: `${run.id}/${name}/begun` },
    );
  });
  if (run.worker(name).record.status === "open") run.append({ kind: "WorkStarted", worker: name });
  await run.workspaces.ensure(name, base);
}
