import { workUntilDone } from "./agents.ts";
import { EngineRefusal, Interrupted } from "./engine-errors.ts";
import { root } from "./orchestrator.ts";
import type { Run } from "./run.ts";
import { describeChange, readChange, refreshChanges } from "./run-changes.ts";
import { workspaceOf } from "./workspaces.ts";

export const integrator = "integrator";

/** One change on top of all finished tasks. Made once; after a task was worked on again it is put on what came of it. */
export async function createMerge(run: Run): Promise<void> {
  const { plan } = run.facts;
  await refreshChanges(run);
  const done = run.state.tasks
    .filter((task) => task.state === "done")
    .flatMap(
      ({ task }) =>
        [...run.workers.values()].find(({ record }) => record.task === task)?.record.changeId ?? [],
    );
  const heads = await run.repository.query(`heads(${done.map((id) => `present(${id})`).join(" | ")})`);
  const parents = heads.map((change) => change.changeId);
  if (parents.length === 0)
    throw new EngineRefusal(
      "No finished task is on the graph.",
      "Bring one back with `jj undo`, then retry.",
    );

  const made = [...run.changes.values()].find(({ metadata }) => metadata.kind === "integration");
  if (!made) {
    const { changeId } = await run.repository.newChange({
      parents,
      description: describeChange(
        plan?.integration?.title ?? "Integrate",
        plan?.integration?.description ?? "",
        {
          kind: "integration",
          status: "open",
          run: run.id,
          orchestrator: root,
          agent: integrator,
        },
      ),
      actor: root,
      request: `${run.id}/integration`,
    });
    run.note({ integration: changeId });
  } else {
    run.note({ integration: made.changeId });
    const now = new Set(made.parents);
    if (heads.length !== now.size || heads.some((head) => !now.has(head.commitId))) {
      await workspaceOf(run, integrator)?.snapshot({ actor: integrator });
      await run.repository.rebase({ source: made.changeId, onto: parents, actor: root });
      await workspaceOf(run, integrator)?.updateStale({ actor: integrator });
    }
  }
  await refreshChanges(run);
  const { integration } = run.facts;
  run.addWorker({
    name: integrator,
    role: "integrator",
    parent: root,
    title: "Integrates",
    changeId: integration,
  });
  const conflict = integration !== null && run.changes.get(integration)?.conflict === true;
  if (conflict) run.metrics.conflictMet(integrator);
  run.update(integrator, { changeId: integration, conflict: conflict ? "merge" : "none", status: "open" });
  run.dispatch({ kind: "IntegrationReady" });
}

/** The integrator brings the tasks together, or repairs what validators found; it ends with no conflict. */
export async function integrate(run: Run, attempt: number, wanted: AbortSignal): Promise<void> {
  const { integration, plan } = run.facts;
  if (integration === null) throw new Error("There is no integration change.");
  await workUntilDone(run, {
    worker: integrator,
    changeId: integration,
    wanted,
    promptFile: "integrator",
    heading: `[INTEGRATE] ${plan?.integration?.title ?? "Integrate"}`,
    description: () => [
      plan?.integration?.description ?? "",
      "",
      "Tasks that come together here:",
      ...[...run.workers.values()]
        .filter(({ record }) => record.role === "agent" && record.task !== null)
        .map(({ record }) => `- ${record.title} (${record.name}): ${record.summary}`),
      ...(attempt === 0
        ? []
        : [
            "",
            "Validators rejected the result. Repair what they name:",
            ...run.state.complaints.map((one) => `- ${one}`),
          ]),
    ],
  });
  if (wanted.aborted) throw new Interrupted();
  const change = await readChange(run, integration);
  if (change.conflict) {
    // What it reported done does not count.
    run.update(integrator, { status: "in_progress", conflict: "merge" });
    throw new EngineRefusal(
      "The integration change still holds a conflict.",
      "Retry, so that the integrator resolves it, or resolve it by hand in its workspace.",
    );
  }
  await refreshChanges(run);
  // Undone in the moment in which it was finished: it is worked on again.
  if (run.worker(integrator).record.status !== "done") return integrate(run, attempt, wanted);
  run.dispatch({ kind: "IntegrationClean" });
}
