import { askOrchestrator } from "../orchestrators/orchestrator.ts";
import { contractLines, prompt, section } from "../prompts.ts";
import type { Run } from "../run/run.ts";
import { refreshChanges } from "../run/run-changes.ts";
import { ensureWorkspace, save } from "../workspaces/workspaces.ts";

/** Phase 0: what its tasks share, written by an orchestrator into its base, so that every agent below inherits it. */
export async function writeContracts(run: Run, orchestrator: string): Promise<void> {
  const { base, plan } = run.own(orchestrator);
  if (base === null || plan === null) throw new Error("Contracts come after the plan.");
  const workspace = await ensureWorkspace(run, orchestrator, base);
  run.update(orchestrator, { status: "in_progress" });
  // A decision from above rewrites what this stands on; until it is done, that one waits.
  const answer = await run.barrier.among(orchestrator, () =>
    askOrchestrator(
      run,
      orchestrator,
      "contracts",
      "contracts",
      prompt(
        section("Contracts", contractLines(plan)),
        section(
          "Tasks that will build on them",
          plan.tasks.map((task) => `- ${task.id} (phase ${task.phase}): ${task.title}`),
        ),
      ),
    ),
  );
  const summary =
    typeof answer.value === "object" && answer.value !== null && "summary" in answer.value
      ? String(answer.value.summary)
      : "";
  await save(workspace);
  await run.repository.setMetadata([{ change: base, patch: { status: "done" } }], { actor: orchestrator });
  run.update(orchestrator, { summary });
  await refreshChanges(run);
  run.dispatch({ kind: "ContractsComplete" }, orchestrator);
}
