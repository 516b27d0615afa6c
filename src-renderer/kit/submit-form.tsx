import type { ReactNode } from "react";
import type { Failure } from "../client.ts";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { FailureLine } from "./failure-line.tsx";
import { matches } from "./key-table.ts";

interface SubmitFormProps {
  /** False while something is missing, or while it is being sent. */
  readonly canSubmit: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly children: ReactNode;
}

/** The fields of a dialog, sent by Enter in a line and by mod+Enter everywhere. */
function SubmitForm({ canSubmit, onSubmit, children }: SubmitFormProps) {
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit) void onSubmit();
      }}
      onKeyDown={(event) => {
        if (!matches(event, "mod+Enter") || !canSubmit) return;
        event.preventDefault();
        void onSubmit();
      }}
    >
      {children}
      {/* Without it Enter would only send a form of one line. */}
      <button type="submit" hidden />
    </form>
  );
}

interface FormDialogProps extends Omit<DialogProps, "open" | "actions"> {
  /** On its button. */
  readonly action: ReactNode;
  readonly look?: "primary" | "danger";
  readonly canSubmit: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly failure: Failure | null;
  /** Why it cannot be done at all. */
  readonly refusal?: { readonly reason: string; readonly remedy: string } | null | undefined;
}

/** A dialog that asks for something and sends it, or says why that cannot be done. */
export function FormDialog(props: FormDialogProps) {
  const { action, look = "primary", canSubmit, onSubmit, failure, refusal, children, ...dialog } = props;
  return (
    <Dialog
      open
      {...dialog}
      actions={
        refusal ? (
          <Button look="primary" autoFocus onClick={dialog.onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={dialog.onClose}>Cancel</Button>
            <Button look={look} disabled={!canSubmit} onClick={() => void onSubmit()}>
              {action}
            </Button>
          </>
        )
      }
    >
      <SubmitForm canSubmit={canSubmit && !refusal} onSubmit={onSubmit}>
        {refusal && (
          <p role="alert">
            {refusal.reason} {refusal.remedy}
          </p>
        )}
        {children}
        {!refusal && <FailureLine failure={failure} />}
      </SubmitForm>
    </Dialog>
  );
}
