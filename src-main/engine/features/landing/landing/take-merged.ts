/** The end of a publication: all of it is merged. */

import { ForgeError, isTemporary } from "../../../../forge/forge-error.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import { ownLog, type Run } from "../../../ports.ts";
import { resultOf } from "./bring-onto.ts";
import { publicationOf } from "./plan-publication.ts";
import { fetchFrom, pushTo } from "./remote-branches.ts";

/** The base as it is at the remote now, and what was published is cleaned up. */
export async function takeMerged(run: Run): Promise<void> {
  const { base, parts, remote } = publicationOf(run);
  const { repository } = run;
  const [from = null] = (await repository.branches())[base] ?? [];
  await fetchFrom(run, base);
  const tip = await repository.remoteBranch(remote, base);
  const [at = null] = (await repository.branches())[base] ?? [];
  const result = await resultOf(run);
  const commitId = tip?.commitId ?? result.commitId;
  // Where Git manages the folder, its branch waits for a pull. One that has commits of its own stays as it is.
  if (at !== null && at !== commitId && (await repository.isAncestor(at, commitId)))
    await repository.moveBranch({ branch: base, from: at, to: commitId }, { actor: "hox" });
  // Before it has landed, after which nobody comes here again.
  await removePublished(
    run,
    parts.map(({ branch }) => branch),
  );
  run.append({
    kind: "ResultLanded",
    move: { branch: base, from, commitId, changeId: result.changeId, workers: {} },
  });
}

/** Here and, unless the forge has done it, there. What stays there is in nobody's way. */
async function removePublished(run: Run, branches: readonly string[]): Promise<void> {
  const { repository } = run;
  for (const branch of branches) await fetchFrom(run, branch);
  await repository.removeBranches(branches, { actor: "hox" });
  for (const branch of branches)
    try {
      await pushTo(run, branch);
    } catch (error) {
      if (error instanceof JjError && error.kind === "no-such-bookmark") continue;
      if (!(error instanceof ForgeError) || isTemporary(error)) throw error;
      run.appendTranscript(ownLog, { kind: "notice", text: `${error.message} ${error.remedy}` });
    }
}
