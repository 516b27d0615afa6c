/** A repository of its own for a run that goes again, at the commit that the recorded one was built on. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { borrowCommit } from "../../jj/borrow-commit.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { prepareRehearsal } from "../../rehearsals/prepare.ts";
import { type Recording, ReplayRefusal } from "../recording.ts";

/** The commit that a run was built on, and the branch that its result is for. */
function groundOf({ moments }: Recording): { readonly commit: string; readonly branch: string } | null {
  const chosen = moments.find(({ event }) => event.kind === "GroundChosen")?.event;
  // A file may say anything.
  if (chosen?.kind !== "GroundChosen" || !/^[0-9a-f]{40,64}$/u.test(chosen.onto.commitId)) return null;
  return { commit: chosen.onto.commitId, branch: chosen.branch ?? "main" };
}

/**
 * @param source where the commit is read from, and nothing is written; null: there is no repository here
 * @throws ReplayRefusal where nobody has the commit
 */
export async function scratchRepository(
  recording: Recording,
  source: Pick<Repository, "root" | "query"> | null,
  folder: string,
): Promise<string> {
  const ground = groundOf(recording);
  if (!ground)
    throw new ReplayRefusal(
      "This run ended before it chose what to build on, so there is nothing to do again.",
      "Watch it: leave --again out.",
    );
  const root = join(folder, "repository");
  const found = source ? await source.query(`present(${ground.commit})`) : [];
  if (source && found.length > 0) {
    await mkdir(root, { recursive: true });
    await borrowCommit({ from: source.root, to: root, commit: ground.commit, branch: ground.branch });
    return root;
  }
  if (recording.input.rehearsal !== null) {
    await prepareRehearsal(recording.input.rehearsal, root);
    return root;
  }
  throw new ReplayRefusal(
    `The commit ${ground.commit.slice(0, 12)} that the run was built on is not here.`,
    "Name a repository that has it with --repo, or fetch it. To watch the run, leave --again out.",
  );
}
