import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Keys } from "../../kit/keys.tsx";
import { useDraft } from "../../state/drafts.ts";
import { subjectOf } from "../../state/graph-store.ts";
import { notify } from "../../state/notice-store.ts";
import { draftRun } from "../../state/run-draft.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { CommentFrame, lineDraft } from "./comment-frame.tsx";

interface LaterFormProps {
  readonly change: Change;
  readonly place: { readonly path: string; readonly line: number };
  readonly onDone: () => void;
}

/** A comment where nobody reads one now: a run begins with it, or it waits for one. */
export function LaterForm({ change, place, onDone }: LaterFormProps) {
  const [text, setText, takeOut] = useDraft(lineDraft(change.changeId, place), "");
  const finish = (): void => {
    setText("");
    onDone();
  };
  const { sending, failure, submit } = useSubmit<"copying" | "keeping">();
  const comment = text.trim();
  const isUsable = comment !== "" && sending === null;
  const subject = subjectOf(change);
  const words = `In ${shownName(place.path)}, line ${place.line}${subject === "" ? "" : ` of “${subject}”`}: ${comment}`;
  const start = (): void => {
    // Whoever closes the dialog finds them here.
    draftRun({ goal: words, onto: change.changeId, isQuick: true, onStarted: () => takeOut(text) });
    onDone();
  };
  const keep = (): Promise<void> =>
    submit("keeping", async () => {
      await client.ideas.add({ text: words });
      notify("info", "Saved as an idea. You find it in the dialog that starts a run.");
      finish();
    });
  const copy = (): Promise<void> =>
    submit("copying", async () => {
      await navigator.clipboard.writeText(words);
      notify("info", "Copied.");
    });
  return (
    <CommentFrame
      line={place.line}
      text={text}
      onText={setText}
      isUsable={isUsable}
      onSend={start}
      onDone={onDone}
    >
      <p className="text-xs text-muted">
        No agent works on this change, so no agent would read a comment. Start a run with this text, or save
        it as an idea for a later run.
      </p>
      {failure && <FailureLine failure={failure} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button size="sm" onClick={finish}>
          Cancel
        </Button>
        <Button size="sm" disabled={!isUsable} onClick={() => void copy()}>
          Copy
        </Button>
        <Button size="sm" disabled={!isUsable} onClick={() => void keep()}>
          Save as idea
        </Button>
        <Button size="sm" look="primary" type="submit" disabled={!isUsable}>
          Start a run… <Keys keys="mod+Enter" />
        </Button>
      </div>
    </CommentFrame>
  );
}
