/** Takes a landing back: the branch stands where it stood, and the work stays on the graph. */
import type { UndoLandingPreview } from "#shared/contract/views/landing.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import type { Landed } from "#shared/domain/landing/landing-events.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";

/**
 * What taking back would do now, with why it cannot be where it cannot.
 * @throws EngineRefusal where nothing has landed that could be taken back
 */
export async function previewUndoLanding(
  repository: Repository,
  landed: Landed | null,
): Promise<UndoLandingPreview> {
  const { bookmark, from, to } = whole(landed);
  await repository.importGit();
  const branches = await repository.branches();
  const commits = await repository.changesSince(from, to, { limit: 500 });
  const preview = {
    bookmark,
    from,
    to,
    commits: commits.map(({ description }) => parseDescription(description).subject),
  };
  const refused = (reason: string, remedy: string): UndoLandingPreview => ({
    ...preview,
    refusal: { reason, remedy },
  });
  if (branches[bookmark]?.join() !== to)
    return refused(
      branches[bookmark] === undefined
        ? `${bookmark} is gone.`
        : `${bookmark} has moved since this run landed.`,
      `Revert its commits with \`git revert\`: it landed as ${to.slice(0, 12)}.`,
    );
  const remote = await repository.pushedTo(to);
  if (remote !== null)
    return refused(
      `It was already pushed to ${remote}.`,
      `Others may have pulled it. Revert it with a commit: \`git revert ${from === null ? to.slice(0, 12) : `${from.slice(0, 12)}..${to.slice(0, 12)}`}\`.`,
    );
  const others = Object.keys(branches).filter((name) => name !== bookmark);
  const built = await repository.builtOn(to);
  if (built) {
    const holder = others.find((name) => branches[name]?.includes(built.commitId));
    return refused(
      `Others built on it: ${holder ?? parseDescription(built.description).subject}${holder || built.description ? "" : built.changeId.slice(0, 12)}.`,
      `Revert it with a commit instead: \`git revert ${to.slice(0, 12)}\`.`,
    );
  }
  const inTheWay = await repository.refusalToMove({ branch: bookmark, from: to, to: from });
  return inTheWay === null
    ? { ...preview, refusal: null }
    : refused(inTheWay.message, inTheWay.remedy.replace("answer again", "try again"));
}

/** @throws EngineRefusal with the words of the preview, JjError */
export async function undoLanding(
  repository: Repository,
  landed: Landed | null,
): Promise<{ readonly operation: string }> {
  const { bookmark, from, to, refusal } = await previewUndoLanding(repository, landed);
  if (refusal !== null) throw new EngineRefusal(refusal.reason, refusal.remedy);
  const { operation } = await repository.moveBranch(
    { branch: bookmark, from: to, to: from },
    { actor: "hox", keepsUnreachable: true, reason: "undo the landing of a run" },
  );
  return { operation };
}

function whole(landed: Landed | null): { bookmark: string; from: string | null; to: string } {
  if (landed === null) throw new EngineRefusal("No landed run in this repository.", "Land a run first.");
  const { bookmark, move, undoneAt } = landed;
  if (undoneAt !== null)
    throw new EngineRefusal(`The landing on ${bookmark} was already undone.`, "No action needed.");
  return { bookmark, ...move };
}
