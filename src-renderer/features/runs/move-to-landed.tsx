import type { CatchUpPreview } from "#shared/contract/commands/run.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { confirm } from "../../kit/dialog.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { attempt, notify } from "../../state/notify.ts";
import { takeBackNow } from "../../state/undo-and-redo.ts";

/** Brings the user's folder onto what landed, after a look at what that would do; one click takes it back. */
export const moveToLanded = (): Promise<boolean> =>
  attempt("The folder was not switched", async () => {
    const preview = await client.run.previewCatchUp();
    if (preview.refusal) {
      notify("warning", preview.refusal.reason, preview.refusal.remedy);
      return;
    }
    if (preview.isThere) {
      notify("info", `The folder is up to date with ${shownLine(preview.bookmark)}.`);
      return;
    }
    if (preview.own && !(await isWanted(preview, preview.own))) return;
    const { operation } = await client.run.catchUp();
    const bookmark = shownLine(preview.bookmark);
    const moved =
      operation === null
        ? null
        : recordEdit(`switching the folder to ${bookmark}`, { kind: "operation", operation });
    notify(
      "info",
      `Your folder is now on ${bookmark}.`,
      null,
      moved ? { action: { label: "Undo", run: () => takeBackNow(moved) } } : {},
    );
  });

const maxFiles = 8;

/** Only where something of the user's own is left behind is there anything to ask. */
const isWanted = (
  { bookmark, title }: CatchUpPreview,
  own: NonNullable<CatchUpPreview["own"]>,
): Promise<boolean> =>
  confirm({
    title: `Switch the folder to ${shownLine(bookmark)}?`,
    action: "Switch folder",
    body: (
      <>
        <p className="text-text">Its new parent is “{shownLine(title)}”.</p>
        <p className="mt-1">
          Your edits are kept as the change {shownLine(own.title) || own.changeId.slice(0, 8)}, with{" "}
          {own.files.length === 1 ? "one file" : `${own.files.length} files`}:
        </p>
        <ul className="mt-1 font-mono text-xs">
          {own.files.slice(0, maxFiles).map((path) => (
            <li key={path}>{shownName(path)}</li>
          ))}
          {own.files.length > maxFiles && <li>and {own.files.length - maxFiles} more</li>}
        </ul>
      </>
    ),
  });
