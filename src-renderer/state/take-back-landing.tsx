/** Takes a landing back, after a look at what comes off the branch, and says why no undo brings it again. */
import type { UndoLandingPreview } from "#shared/contract/views/landing.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../client.ts";
import { confirm } from "../kit/dialog.tsx";
import { ScrollBox } from "../kit/scroll-box.tsx";
import { type Edit, recordEdit } from "./edit-history.ts";
import { notify } from "./notify.ts";

type Landing = Pick<UndoLandingPreview, "bookmark" | "to">;
type LandingUndo =
  | { readonly kind: "done"; readonly landing: Landing }
  | { readonly kind: "refused"; readonly reason: string; readonly remedy: string }
  /** A person looked at it and said no. */
  | { readonly kind: "kept" };

/** Shows what comes off the branch, and takes it off after a yes. */
export async function takeLandingBack(): Promise<LandingUndo> {
  const landing = await client.run.previewUndoLanding();
  if (landing.refusal) return { kind: "refused", ...landing.refusal };
  if (!(await confirmed(landing))) return { kind: "kept" };
  await client.run.undoLanding();
  return { kind: "done", landing };
}

/** The history entry of an undone landing. */
export function landingTakenBack({ bookmark, to }: Landing): Edit {
  const commit = to.slice(0, 12);
  return {
    kind: "final",
    why: `A landing cannot be redone. To land the result again, run \`git merge ${commit}\` or \`jj bookmark set ${bookmark} -r ${commit}\`. The landed changes are still on the graph.`,
    at: null,
  };
}

/** Records it, and shows where the branch is. */
export function recordLandingTakenBack(landing: Landing): void {
  recordEdit(`undoing the landing on ${landing.bookmark}`, landingTakenBack(landing));
  notify("info", `Undid the landing on ${landing.bookmark}. The work is still in the graph.`, null);
}

const maxTitles = 12;

/** Exactly what comes off the branch. */
const confirmed = ({ bookmark, from, commits }: UndoLandingPreview): Promise<boolean> =>
  confirm({
    title: `Undo the landing on ${bookmark}?`,
    body: (
      <div className="flex flex-col gap-2">
        <p>
          {from === null
            ? `${bookmark} was created by this landing and is removed.`
            : `${bookmark} moves back to the commit before the landing (${from.slice(0, 8)}).`}{" "}
          Your own edits are kept, and the work stays in the graph.
        </p>
        <ScrollBox label="Commits removed from the branch" className="max-h-56 rounded-md border">
          <ul>
            {commits.slice(0, maxTitles).map((title, place) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: two commits may have one title, and the list never changes
                key={`${place} ${title}`}
                className="truncate border-b px-2.5 py-1 last:border-b-0"
                title={shownText(title)}
              >
                {shownText(title)}
              </li>
            ))}
            {commits.length > maxTitles && (
              <li className="px-2.5 py-1">and {commits.length - maxTitles} more</li>
            )}
          </ul>
        </ScrollBox>
      </div>
    ),
    action: "Undo",
  });
