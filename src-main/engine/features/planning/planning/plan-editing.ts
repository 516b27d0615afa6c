/** Edits to the plan of an active run, by the user and by its orchestrator. */

import type { InboxItem } from "#shared/contract/cards.ts";
import type { EngineCommands } from "#shared/contract/commands.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { editLine, editPlanBy, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { tooLate } from "#shared/domain/plan/plan-in-run.ts";
import { outcomeOf } from "#shared/domain/plan/problem-texts.ts";
import { isWriteConflict } from "../../../../jj/process/errors.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import { retryWithBackoff } from "../../../kernel/best-effort.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import { warn } from "../../../kernel/notify.ts";
import { ownLog, type Run, type RunReader } from "../../../ports.ts";
import { orchestratorsOf, rootOf } from "../../../workers/hierarchy.ts";
import { workflowFor } from "../../../workflow/run-workflow.ts";
import { finishAmendment, taskStatusOf } from "./plan-amendment.ts";
import { problemsOf, reasonsToAsk, takenClaimTexts, takenOn } from "./plan-rules.ts";
import { outlinesFor, scanOf } from "./repository-scan.ts";

export const planEditing = ({
  executeFor,
}: CommandScope<Run>): EngineCommands<"plan.check" | "plan.amend", Run> => ({
  async "plan.check"(run, { orchestrator, plan }) {
    const outlines = await outlinesFor(run, plan);
    return {
      problems: problemsOf(run, orchestrator ?? rootOf(run), plan, await scanOf(run), outlines),
      // A plan is checked without signatures.
      outlines: Object.fromEntries(
        [...outlines].map(([path, { symbols, imports }]) => [
          path,
          { imports, symbols: symbols.map((symbol) => ({ ...symbol, signature: "" })) },
        ]),
      ),
    };
  },
  async "plan.amend"(run, { orchestrator: asked, edits }, by) {
    const orchestrator = asked ?? rootOf(run);
    const isProposed = proposedPlan(run, orchestrator) !== null;
    await amendPlan(run, orchestrator, edits);
    // A budget that is proposed holds when its plan is approved.
    const budget = isProposed ? undefined : edits.findLast((edit) => edit.kind === "budget");
    if (budget)
      await executeFor(by, "run.extendBudget", {
        run: run.id,
        tokens: budget.tokens,
        microDollars: budget.microDollars,
      });
    return { operation: await run.repository.currentOperation() };
  },
});

/**
 * One amendment after another: each is based on the plan after the one before.
 * @param by the orchestrator itself; omitted if the user amends
 */
export function amendPlan(
  run: Run,
  orchestrator: string,
  edits: readonly PlanEdit[],
  by?: string,
): Promise<void> {
  return run.serial.run("plan", async () => {
    const proposed = by === undefined ? proposedPlan(run, orchestrator) : null;
    if (proposed) return amendProposed(run, orchestrator, proposed, edits);
    await finished(run, orchestrator);
    await run.refreshChanges();
    const before = planOf(run, orchestrator);
    const after = amended(run, orchestrator, before, edits);
    if (after === before) return;
    run.append({ kind: "AmendmentStarted", orchestrator, amendment: { before, after, edits, by } });
    await finished(run, orchestrator);
  });
}

type Proposed = Extract<InboxItem, { kind: "plan" }>;

/** The open card of an orchestrator's proposed plan. */
const proposedPlan = (run: Run, orchestrator: string): Proposed | null =>
  run.inbox
    .items()
    .find((item): item is Proposed => item.kind === "plan" && item.orchestrator === orchestrator) ?? null;

/** A plan that waits is changed on its card; what it was shown as before cannot be approved any more. */
async function amendProposed(
  run: Run,
  orchestrator: string,
  card: Proposed,
  edits: readonly PlanEdit[],
): Promise<void> {
  for (const edit of edits) refuseForced(run, edit);
  const result = editPlanBy(card.plan, edits);
  if (result.kind === "refused") throw new EngineRefusal(result.reason, result.remedy);
  const { plan } = result;
  if (plan === card.plan) return;
  const scan = await scanOf(run);
  const problems = problemsOf(run, orchestrator, plan, scan, await outlinesFor(run, plan)).map(
    ({ text }) => text,
  );
  // It may have been answered meanwhile.
  if (proposedPlan(run, orchestrator)?.nonce !== card.nonce)
    throw new EngineRefusal("The plan was already answered.", "Check it again: hox plan");
  run.journal.together(() => {
    run.append({ kind: "PlanRevised", orchestrator, plan });
    run.inbox.replace(card.id, {
      kind: "plan",
      orchestrator,
      plan,
      workflow: workflowFor(run, plan),
      problems: [...reasonsToAsk(run, orchestrator, plan), ...problems],
      ...takenOn(takenClaimTexts(run, orchestrator, plan)),
    });
  });
  for (const edit of edits)
    run.appendTranscript(ownLog, { kind: "notice", text: `The user ${editLine(edit)}.` });
}

/** A stage that the configuration sets cannot be changed in a plan. */
function refuseForced(run: RunReader, edit: PlanEdit): void {
  if (edit.kind === "workflow" && run.config.workflow[edit.stage] !== "auto")
    throw new EngineRefusal(
      `The stage "${edit.stage}" cannot be changed: .hox/config.toml sets workflow.${edit.stage}.`,
      `Set workflow.${edit.stage} = "auto" there first.`,
    );
}

/** The plan as edits would leave it now; refuses what comes too late and what could not run. */
export const planAfter = (run: Run, orchestrator: string, edits: readonly PlanEdit[]): Plan =>
  amended(run, orchestrator, planOf(run, orchestrator), edits);

/** Finishes what a crash left of amendments: after a start, before anything else is done. */
export async function finishAmendments(run: Run): Promise<void> {
  try {
    for (const orchestrator of orchestratorsOf(run)) await finished(run, orchestrator);
  } catch (error) {
    warn(
      run,
      `The changed plan could not be written to the graph: ${explain(error).message}`,
      "Hox retries with your next change to the plan and at the next start.",
    );
  }
}

/** The user's commands in a terminal can conflict with our writes; every step may be retried. */
const finished = (run: Run, orchestrator: string): Promise<void> =>
  retryWithBackoff(() => finishAmendment(run, orchestrator), {
    retries: 4,
    waitMs: (failures) => 50 * 2 ** failures,
    isTransient: isWriteConflict,
  });

function planOf(run: RunReader, orchestrator: string): Plan {
  if (!orchestratorsOf(run).includes(orchestrator))
    throw new EngineRefusal(
      `No orchestrator ${orchestrator} in this run.`,
      `Its orchestrators are ${orchestratorsOf(run).join(", ")}.`,
    );
  const { plan } = run.orchestratorFacts(orchestrator);
  const { stage } = run.stateOf(orchestrator).current;
  if (plan === null || stage === "idle" || stage === "planning")
    throw new EngineRefusal(
      `${orchestrator} has no approved plan yet.`,
      "Edit the proposed plan in the graph or in the inbox, then approve it.",
    );
  if (stage !== "executing" && stage !== "integrating")
    throw new EngineRefusal(
      `The plan of ${orchestrator} is complete; the run is ${stage}.`,
      "Start another run for more work.",
    );
  return plan;
}

/** The plan after the edits; refuses what comes too late and what could not run. */
function amended(run: Run, orchestrator: string, plan: Plan, edits: readonly PlanEdit[]): Plan {
  const statusOf = (task: string) => taskStatusOf(run, orchestrator, task);
  const wasThere = (id: string): boolean =>
    run.stateOf(orchestrator).tasks.some(({ task }) => task === id) &&
    !plan.tasks.some((task) => task.id === id);
  for (const edit of edits) {
    refuseForced(run, edit);
    const late = tooLate(plan, edit, statusOf);
    if (late) throw new EngineRefusal(late.reason, late.remedy);
    if (edit.kind === "add" && wasThere(edit.task.id))
      throw new EngineRefusal(
        `A task "${edit.task.id}" was abandoned in this run.`,
        "Give the new task another ID.",
      );
  }
  const outcome = outcomeOf(plan, edits);
  if (outcome.kind === "refused") throw new EngineRefusal(outcome.reason, outcome.remedy);
  const known = new Set(problemsOf(run, orchestrator, plan, null).map(({ text }) => text));
  const fatal = problemsOf(run, orchestrator, outcome.plan, null).find(
    ({ severity, text }) => severity === "fatal" && !known.has(text),
  );
  if (fatal) throw new EngineRefusal(fatal.text, "Edit the plan differently, or raise the named limit.");
  return outcome.plan;
}
