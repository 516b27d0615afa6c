import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import { describeChange } from "#shared/domain/plan/task-words.ts";
import type { RunState } from "#shared/run/state.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { chooseRunBase } from "../../../graph-sync/run-base.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";
import { patternStoreOf } from "../../../run/pattern-store-of.ts";
import { rootOf } from "../../../workers/hierarchy.ts";

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
    run.append({ kind: "GroundMoved", onto: { ...onto, commitId: now.commitId } });
  return now.commitId;
}

/** O-A-1's base change on what was chosen, its workspace, and what earlier runs taught. Makes only what is missing. */
export async function prepareBase(run: Run): Promise<void> {
  if (run.facts.onto === null) {
    const { change, branch, isOnBranch } = await chooseRunBase(run.repository, run.row.input.onto);
    const { changeId, commitId } = change;
    run.append({ kind: "GroundChosen", onto: { changeId, commitId, isOnBranch }, branch });
  }
  const { onto } = run.facts;
  if (onto === null) throw new Error("No base was chosen.");
  await run.step("patterns", async () => {
    // Nice to have: a branch of patterns that cannot be read must not keep a run from starting.
    try {
      const { patterns, problems } = await patternStoreOf(run).trusted();
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
          description: describeChange(`Contracts: ${run.row.input.goal}`, run.row.input.goal, {
            kind: "base",
            status: "in_progress",
            run: run.id,
            orchestrator: rootOf(run),
            phase: 0,
          }),
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
