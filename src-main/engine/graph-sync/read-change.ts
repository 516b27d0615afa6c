import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { Run } from "../ports.ts";

/** The current change; refuses if the user abandoned it. */
export async function readChange(run: Run, changeId: string): Promise<Change> {
  const change = await run.repository.change(changeId);
  if (change) return change;
  // Just abandoned: that cancels its work, and the user need not be asked.
  await run.refreshChanges();
  throw new EngineRefusal(
    `Change ${changeId.slice(0, 12)} of this run is no longer in the graph.`,
    "Restore it with `jj undo` or `jj op restore`, then retry.",
  );
}

/** The texts of those of some files that a commit has; jj refuses to show one that is not there. */
export async function presentTexts(
  run: Run,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const all = new Set(await run.repository.listFiles(commit));
  return run.repository.readTexts(
    commit,
    paths.filter((path) => all.has(path)),
  );
}

type Graph = Pick<Repository, "commitsNamed">;

/** @throws EngineRefusal where there is none of this id, or several */
export async function changeNamed(repository: Graph, changeId: string): Promise<Change> {
  const [only, ...others] = await repository.commitsNamed(changeId);
  if (!only)
    throw new EngineRefusal(`No change ${changeId}.`, "It may have been abandoned: check the graph.");
  if (others.length > 0)
    throw new EngineRefusal(
      `${changeId} is divergent: it has several commits.`,
      "Repair it with `jj converge`, or use a commit ID.",
    );
  return only;
}

/** @throws EngineRefusal also where it is part of what others may rely on */
export async function changeToEdit(repository: Graph, changeId: string): Promise<Change> {
  const change = await changeNamed(repository, changeId);
  if (change.immutable)
    throw new EngineRefusal(
      `Change ${changeId.slice(0, 12)} is immutable, because others may rely on it.`,
      "Create a new change on top of it instead.",
    );
  return change;
}
