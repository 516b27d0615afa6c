import { useState } from "react";
import type { PatternView } from "#shared/contract/views/pattern.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { matches } from "../../kit/keyboard.ts";
import { Keys } from "../../kit/keys.tsx";
import { patternsChanged } from "../../state/pattern-library.ts";
import { useSubmit } from "../../state/use-submit.ts";

interface RetireDialogProps {
  readonly pattern: PatternView;
  readonly onClose: () => void;
}

/** Why a pattern is not told any more. It can be brought back, so nothing else is asked. */
export function RetireDialog({ pattern: { id, title, versions }, onClose }: RetireDialogProps) {
  const [reason, setReason] = useState("");
  const { sending, failure, submit } = useSubmit<"retire">();
  const retire = (): Promise<void> =>
    submit("retire", async () => {
      await client.pattern.retire({ id, reason: reason.trim() });
      patternsChanged();
      onClose();
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Retire “${shownLine(title)}”?`}
      description={
        versions.length === 0
          ? "It is removed from the branch. It was never approved here, so only a pull or its author can restore it."
          : "It is removed from the branch and no longer used in runs. All versions are kept, and you can restore any of them."
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={sending !== null} onClick={() => void retire()}>
            Retire <Keys keys="mod+Enter" />
          </Button>
        </>
      }
    >
      <Field label="Reason (optional)" hint="Shown with the pattern and in the history of the branch.">
        {(ids) => (
          <TextArea
            {...ids}
            autoFocus
            rows={2}
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (!matches(event, "mod+Enter") || sending !== null) return;
              event.preventDefault();
              void retire();
            }}
          />
        )}
      </Field>
      <FailureLine failure={failure} />
    </Dialog>
  );
}
