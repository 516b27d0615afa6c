/** What the user approved on the card before anything was pushed. */
import { type PullRequestText, retitled } from "#shared/domain/forge/pull-request-text.ts";
import type { PublishedForm } from "#shared/domain/landing/publication.ts";
import type { Run, RunReader } from "../../../ports.ts";

/** A separate card for each approval that failed because the branch had moved. */
export const landId = (run: Pick<RunReader, "id" | "facts">): string => {
  const { question } = run.facts.landing;
  return question === 0 ? `${run.id}/land` : `${run.id}/land/${question}`;
};

interface ApprovedDraft {
  readonly branch: string;
  /** Title and text as the card showed them, with the user's title. */
  readonly draft: PullRequestText;
  /** Null: the title is Hox's. */
  readonly ownTitle: string | null;
}

/** None where nothing was approved. */
export function approvedDrafts(
  run: Pick<Run, "journal" | "id" | "facts">,
  form: PublishedForm,
): readonly ApprovedDraft[] {
  const { item, decision } = run.journal.inboxItem(landId(run)) ?? {};
  if (item?.kind !== "land" || decision?.kind !== "approve") return [];
  const titles = "titles" in decision ? decision.titles : undefined;
  return (item.forge?.drafts[form] ?? []).map(({ branch, title, text }) => {
    const own = titles?.[branch] ?? title;
    return { branch, draft: retitled({ title, text }, own), ownTitle: own === title ? null : own };
  });
}
