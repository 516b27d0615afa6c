import { Undo2 } from "lucide-react";
import { useState } from "react";
import type { UndoLandingPreview } from "#shared/contract/views/landing.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { attempt, notify } from "../../state/notice-store.ts";
import { moveToLanded } from "../runs/move-to-landed.tsx";

/** Where the result landed, and the way back. */
export function LandingLine({ bookmark }: { readonly bookmark: string }) {
  const [busy, setBusy] = useState(false);
  const undo = async (): Promise<void> => {
    setBusy(true);
    await attempt(`The landing on ${bookmark} was not taken back`, async () => {
      const preview = await client.run.previewUndoLanding();
      if (preview.refusal) {
        notify("warning", preview.refusal.reason, preview.refusal.remedy);
        return;
      }
      if (!(await confirmed(preview))) return;
      await client.run.undoLanding();
      const commit = preview.to.slice(0, 12);
      recordEdit(`taking back the landing on ${bookmark}`, {
        kind: "final",
        why: `A landing is a word of yours to a branch, and only another one brings it again: \`git merge ${commit}\`, or \`jj bookmark set ${bookmark} -r ${commit}\`. What had landed is still on the graph.`,
        at: null,
      });
      notify("info", `${bookmark} stands where it stood. What had landed is still on the graph.`, null);
    });
    setBusy(false);
  };
  return (
    <section aria-label="Landing" className="flex min-h-7 items-center gap-2 text-sm text-muted">
      <Undo2 size={13} className="shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1">Landed on {bookmark}</span>
      <Button size="sm" title="Move the folder onto what landed (Alt+G)" onClick={() => void moveToLanded()}>
        Go there
      </Button>
      <Button size="sm" disabled={busy} onClick={() => void undo()}>
        Undo the landing…
      </Button>
    </section>
  );
}

const mostTitles = 12;

/** Exactly what comes off the branch. */
const confirmed = ({ bookmark, from, commits }: UndoLandingPreview): Promise<boolean> =>
  confirm({
    title: `Take the landing on ${bookmark} back?`,
    body: (
      <div className="flex flex-col gap-2">
        <p>
          {from === null
            ? `${bookmark} was made new and goes away.`
            : `${bookmark} goes back to ${from.slice(0, 12)}.`}{" "}
          Edits of your own stay as they are, and the work stays on the graph.
        </p>
        <ScrollBox label="Commits that come off the branch" className="max-h-56 rounded-md border">
          <ul>
            {commits.slice(0, mostTitles).map((title, place) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: two commits may have one title, and the list never changes
                key={`${place} ${title}`}
                className="truncate border-b px-2.5 py-1 last:border-b-0"
                title={shownText(title)}
              >
                {shownText(title)}
              </li>
            ))}
            {commits.length > mostTitles && (
              <li className="px-2.5 py-1">and {commits.length - mostTitles} more</li>
            )}
          </ul>
        </ScrollBox>
      </div>
    ),
    action: "Take it back",
  });
