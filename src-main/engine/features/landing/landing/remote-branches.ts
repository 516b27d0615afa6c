/** Branches of a publication on its remote. What Git can't do there is a problem with the forge, as any other one. */

import { ForgeError } from "../../../../forge/forge-error.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import type { Run } from "../../../ports.ts";
import { publicationOf } from "./plan-publication.ts";

const actor = "hox";

export const fetchFrom = (run: Run, branch: string): Promise<unknown> =>
  asForgeProblem(run.repository.fetchBranch(branch, { actor, remote: publicationOf(run).remote }));

/** Pushes a local branch as it is; nothing where the remote has it so. */
export async function pushTo(run: Run, branch: string): Promise<void> {
  const { repository } = run;
  const { remote } = publicationOf(run);
  const { moves } = await repository.previewPush(branch, remote);
  if (moves.length > 0)
    await asForgeProblem(repository.push(branch, moves, { actor, request: `${run.id}/publish`, remote }));
}

/** No network, a server that fails, and a branch that moved at this moment: the next look finds another state. */
const passes =
  /could not resolve|could not read from remote|unable to access|connection|timed out|early eof|hung up|unexpectedly moved/iu;
const stays = /denied|authentication|error: 4(?!29)\d\d/iu;

/** @throws ForgeError for what the remote did not do; every other error as it is */
export async function asForgeProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof JjError) || !["failed", "timeout"].includes(error.kind)) throw error;
    const { message, remedy } = error;
    const words = `${message} ${error.stderr}`;
    const isTemporary = error.kind === "timeout" || (passes.test(words) && !stays.test(words));
    throw new ForgeError(isTemporary ? "unavailable" : "refused", message, remedy, { cause: error });
  }
}
