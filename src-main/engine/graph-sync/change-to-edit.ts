import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { EngineRefusal } from "../engine-errors.ts";

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
