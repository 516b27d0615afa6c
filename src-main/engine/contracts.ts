import { askOrchestrator, root } from "./orchestrator.ts";
import { contractLines, prompt, section } from "./prompts.ts";
import type { Run } from "./run.ts";
import { refreshChanges } from "./run-changes.ts";
import { ensureWorkspace, save } from "./workspaces.ts";

/** Phase 0: what all tasks share, written by the orchestrator into its base, so that every agent inherits it. */
export async function writeContracts(run: Run): Promise<void> {
  const { base, plan } = run.facts;
  if (base === null || plan === null) throw new Error("Contracts come after the plan.");
  const workspace = await ensureWorkspace(run, root, base);
  run.update(root, { status: "in_progress" });
  const answer = await askOrchestrator(
    run,
    "contracts",
    "contracts",
    prompt(
      section("Contracts", contractLines(plan)),
      section(
        "Tasks that will build on them",
        plan.tasks.map((task) => `- ${task.id} (phase ${task.phase}): ${task.title}`),
      ),
    ),
  );
  const summary =
    typeof answer.value === "object" && answer.value !== null && "summary" in answer.value
      ? String(answer.value.summary)
      : "";
  await save(workspace);
  await run.repository.setMetadata([{ change: base, patch: { status: "done" } }], { actor: root });
  run.update(root, { summary });
  await refreshChanges(run);
  run.dispatch({ kind: "ContractsComplete" });
}
