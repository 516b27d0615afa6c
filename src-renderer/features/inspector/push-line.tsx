import { CloudUpload, Undo2 } from "lucide-react";
import { useState } from "react";
import type { PushPreview } from "#shared/contract/commands/run.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { notesRef } from "#shared/domain/change-metadata/change-note.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { failureText } from "../../kit/failure-line.tsx";
import { TitleList } from "../../kit/scroll-box.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { notify } from "../../state/notify.ts";
import { recordLandingTakenBack, takeLandingBack } from "../../state/take-back-landing.tsx";
import { shownValue, useAttempt, useLoaded } from "../../state/use-loaded.ts";
import { moveToLanded } from "../runs/move-to-landed.tsx";

interface PushLineProps {
  readonly bookmark: string;
  /** In a bar with other things: as wide as its text, and without an icon. */
  readonly isQuiet?: boolean;
}

/** Where a bookmark is, and the push to the remote; nothing without a remote. */
export function PushLine({ bookmark, isQuiet = false }: PushLineProps) {
  const [looks, setLooks] = useState(0);
  const [isBusy, attempt] = useAttempt();
  const loaded = useLoaded(`${bookmark} ${looks}`, () => client.run.previewPush({ bookmark }));
  const failure = loaded.kind === "failed" ? loaded.failure : null;
  const preview = shownValue(loaded);
  if (failure !== null && isQuiet)
    return (
      <p className="max-w-96 truncate text-sm text-warning" title={failureText(failure)} data-selectable>
        {failureText(failure)}
      </p>
    );
  if (failure !== null)
    return (
      <section aria-label="Push" className="flex gap-2 text-sm text-muted">
        <CloudUpload size={13} className="mt-0.5 shrink-0 text-faint" aria-hidden />
        <p className="min-w-0 flex-1 text-pretty" data-selectable>
          {failure.text} {failure.remedy}
        </p>
      </section>
    );
  if (preview === null || preview.remote === null) return null;
  const { remote, moves, changes } = preview;

  const push = async (): Promise<void> => {
    await attempt(`${bookmark} was not pushed`, async () => {
      const now = await client.run.previewPush({ bookmark });
      if (now.moves.length === 0 || !(await confirmed(now))) return;
      const notesTo = now.notes > 0 && (await confirmedNotes(now)) ? (now.remote ?? undefined) : undefined;
      await client.run.push({
        bookmark,
        moves: [...now.moves],
        ...(notesTo === undefined ? {} : { notesTo }),
      });
      recordEdit(`the push of ${bookmark} to ${now.remote}`, {
        kind: "final",
        why: "Others may have fetched it already. To revert it, push a commit that undoes it.",
        at: null,
      });
      notify("info", `${bookmark} was pushed to ${now.remote}.`, null);
    });
    setLooks(looks + 1);
  };

  return (
    <section aria-label="Push" className="flex min-h-7 items-center gap-2 text-sm text-muted">
      {!isQuiet && <CloudUpload size={13} className="shrink-0 text-faint" aria-hidden />}
      <span className="min-w-0 flex-1">
        {moves.length === 0
          ? `${bookmark} is on ${remote}`
          : `${counted(changes.length, "change")} not on ${remote} yet`}
      </span>
      {moves.length > 0 && (
        <Button size={isQuiet ? "md" : "sm"} disabled={isBusy} onClick={() => void push()}>
          {isQuiet && <CloudUpload size={13} aria-hidden />}
          Push {bookmark}…
        </Button>
      )}
    </section>
  );
}

/** Exactly what will move, before it moves. */
const confirmed = ({ bookmark, remote, moves, changes }: PushPreview): Promise<boolean> =>
  confirm({
    title: `Push ${bookmark} to ${remote}?`,
    body: (
      <div className="flex flex-col gap-2">
        {moves.map((move) => (
          <p key={move} className="text-text" title={shownLine(move)} data-selectable>
            {shownLine(pushMoveText(move))}
          </p>
        ))}
        <TitleList
          label="Changes that are pushed"
          titles={changes.map(({ changeId, title }) => ({ id: changeId.slice(0, 8), title }))}
        />
      </div>
    ),
    action: "Push",
  });

const form =
  /^bookmark: (.+) \[(add|move forward|move sideways|move backward|delete)(?: from ([0-9a-f]+))?(?: to ([0-9a-f]+))?\]$/u;

const short = (commit = ""): string => commit.slice(0, 8);

/** One line of what jj lists before a push, as a sentence; a line of another form stays as it is. */
export function pushMoveText(line: string): string {
  const [, name, what, from, to] = form.exec(line) ?? [];
  if (what === undefined) return line;
  if (what === "add") return `Creates ${name} at ${short(to)}`;
  if (what === "delete") return `Deletes ${name}, now at ${short(from)}`;
  const isForced = what !== "move forward";
  return `Moves ${name} from ${short(from)} to ${short(to)}${isForced ? ", replacing commits there" : ""}`;
}

/** Metadata of runs says who worked on what, and what it cost: not everybody wants that where they push. */
const confirmedNotes = ({ remote, notes }: PushPreview): Promise<boolean> =>
  confirm({
    title: `Also push the metadata of ${counted(notes, "commit")}?`,
    body: (
      <p className="text-pretty">
        Agents, status, cost and score of landed changes are in Git notes ({notesRef}). With them on {remote},
        the same filters and reports work in every clone.
      </p>
    ),
    action: "Push metadata",
    decline: "Only the branch",
  });

/** Actions for a landed result: show it, undo the landing, push it. */
export function LandedLines({
  run: { landed, endedAt },
}: {
  readonly run: Pick<RunView, "landed" | "endedAt">;
}) {
  if (landed === null || landed.undoneAt !== null) return null;
  return (
    <>
      <PushLine key={landed.bookmark} bookmark={landed.bookmark} />
      {endedAt !== null && <LandingLine key={landed.to} bookmark={landed.bookmark} />}
    </>
  );
}

/** Where the result landed, and the way back. */
function LandingLine({ bookmark }: { readonly bookmark: string }) {
  const [isBusy, attempt] = useAttempt();
  const undo = (): Promise<boolean> =>
    attempt(`The landing on ${bookmark} was not undone`, async () => {
      const taken = await takeLandingBack();
      if (taken.kind === "refused") notify("warning", taken.reason, taken.remedy);
      else if (taken.kind === "done") recordLandingTakenBack(taken.landing);
    });
  return (
    <section aria-label="Landing" className="flex min-h-7 items-center gap-2 text-sm text-muted">
      <Undo2 size={13} className="shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1">Landed on {bookmark}</span>
      <Button
        size="sm"
        title="Move your folder to the commit that landed (Alt+G)"
        onClick={() => void moveToLanded()}
      >
        Switch my folder to {bookmark}
      </Button>
      <Button size="sm" disabled={isBusy} onClick={() => void undo()}>
        Undo landing…
      </Button>
    </section>
  );
}
