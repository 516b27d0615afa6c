import type { CatchUpPreview } from "#shared/contract/commands/run.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { lastLanding } from "../../../recorded-state.ts";

/** Moves the user's folder onto the landed result on request. */
export const catchUpWithLanding: Feature<Run> = {
  name: "catch-up",
  commands: ({ repository, journal, shown, newId }) => ({
    "run.previewCatchUp": () => previewCatchUp(repository, { journal, shown }),
    "run.catchUp": () => catchUp(repository, { journal, shown }, { request: newId(), actor: "hox" }),
  }),
};

interface Landings {
  readonly journal: Pick<Journal, "runs" | "events">;
  readonly shown: () => readonly Pick<Run, "id" | "facts">[];
}

/**
 * What it would do now, with why it cannot be where it cannot. Records the folder's files first.
 * @throws EngineRefusal where nothing has landed
 */
export async function previewCatchUp(
  repository: Repository,
  { journal, shown }: Landings,
): Promise<CatchUpPreview> {
  const landed = lastLanding(journal, shown())?.landed;
  if (!landed) throw new EngineRefusal("No landed run in this repository.", "Land a run first.");
  const { bookmark } = landed;
  await repository.importGit();
  const to = await standsAt(repository, bookmark, landed.move.to);
  const change = await repository.change(to);
  const preview = {
    bookmark,
    to,
    title: parseDescription(change?.description ?? "").subject,
    isThere: false,
    own: null,
  };
  if (change === null)
    return {
      ...preview,
      refusal: {
        reason: `The commits that landed on ${bookmark} are no longer in the graph.`,
        remedy: "Look for the operation that removed them with `jj op log`.",
      },
    };
  const stand = await repository.gitStand();
  if (stand?.isManagedByGit) return heldByGit(repository, preview, stand);
  const { change: here, paths } = await repository.recordOpened();
  const hasOwn = paths.length > 0 || here.description.trim() !== "";
  return {
    ...preview,
    isThere: await repository.isAncestor(to, here.commitId),
    own: hasOwn
      ? { changeId: here.changeId, title: parseDescription(here.description).subject, files: paths }
      : null,
    refusal: null,
  };
}

/** The branch's current commit if it contains the landed one: others may have built on it. */
async function standsAt(repository: Repository, bookmark: string, landed: string): Promise<string> {
  const [now, ...others] = (await repository.branches())[bookmark] ?? [];
  return now !== undefined && others.length === 0 && (await repository.isAncestor(landed, now))
    ? now
    : landed;
}

/** Landing moved a folder that was on the branch; a folder on another branch is switched with Git. */
async function heldByGit(
  repository: Repository,
  preview: Omit<CatchUpPreview, "refusal">,
  { branch, commit }: { readonly branch: string | null; readonly commit: string | null },
): Promise<CatchUpPreview> {
  const isThere = commit !== null && (await repository.isAncestor(preview.to, commit));
  return {
    ...preview,
    isThere,
    refusal: isThere
      ? null
      : {
          reason: `Git controls this folder${branch === null ? "" : ` (on ${branch})`}, so Hox does not move it.`,
          remedy: `Move there with \`git switch ${preview.bookmark}\`, or merge it here with \`git merge ${preview.bookmark}\`.`,
        },
  };
}

/**
 * Moves the user's folder onto what a run landed. Edits are kept in their change. Idempotent.
 * @returns the operation to revert for undo; null if nothing had to be done
 * @throws EngineRefusal with the text of the preview
 */
export async function catchUp(
  repository: Repository,
  landings: Landings,
  mark: { readonly request: string; readonly actor: string },
): Promise<{ readonly operation: string | null }> {
  const { to, isThere, refusal } = await previewCatchUp(repository, landings);
  if (refusal) throw new EngineRefusal(refusal.reason, refusal.remedy);
  if (isThere) return { operation: null };
  return repository.startOn(to, mark);
}
