/** Workers that begin with their orchestrator's conversation instead of knowing only their task. (HYLO-3) */
import { contextAt, type PlannedTask } from "#shared/domain/plan/plan.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { ResumeToken } from "../../agent/agent-interface.ts";
import type { Run, RunReader } from "../ports.ts";
import { originOf } from "./attempts.ts";

/**
 * The orchestrator whose conversation a worker continues, with its system prompt and tools: an agent in its
 * first iteration, an orchestrator until its plan is approved. Null for others.
 */
export function lenderOf(run: RunReader, worker: string, iteration?: number): string | null {
  const { record } = run.worker(worker);
  const { inherits } = record;
  if (roles[record.role].isLead)
    return inherits !== null && !run.orchestratorFacts(worker).planApproved ? inherits.from : null;
  if ((iteration ?? record.iteration + 1) !== 1) return null;
  if (inherits !== null) return inherits.from;
  const origin = originOf(run, worker);
  return origin === null ? null : lenderOf(run, origin.worker, origin.iteration);
}

/**
 * The conversation that an agent's first iteration continues, as of its approval or fork; null: a fresh one.
 */
export function beginsWith(run: Run, worker: string): ResumeToken | null {
  if (run.worker(worker).record.inherits === null && originOf(run, worker) === null) return null;
  const kept = run.journal.keptConversation(run.id, worker, 0);
  return kept === null || kept === "made-way" ? null : kept.token;
}

/**
 * Stores the initial context of a worker that has not started: its orchestrator's current conversation. If
 * that is empty, the worker starts fresh.
 */
export function chooseContext(run: Run, worker: string, task: Pick<PlannedTask, "context">): void {
  const { role, parent, iteration, inherits } = run.worker(worker).record;
  const wants = contextAt(task) === "inherit";
  const { isLead } = roles[role];
  const hasStarted = isLead ? run.orchestratorFacts(worker).plan !== null : iteration > 0;
  if (parent === null || hasStarted || wants === (inherits !== null)) return;
  const history = run.journal.history(run.id, parent);
  if (history === null) return;
  run.journal.together(() => {
    if (isLead) run.journal.setHistory(run.id, worker, wants ? history : { ...history, parts: [] });
    else if (wants) run.journal.keepHistory(run.id, worker, 0, history);
    run.append({ kind: "ContextChosen", worker, from: wants ? parent : null });
  });
}
