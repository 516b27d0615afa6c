import { useState } from "react";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { SubmitForm } from "../../kit/submit-form.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { closeAgentDialog } from "./agent-actions.ts";

/** The task of an agent for a fresh one: with which model, and what it is told. */
export function ReassignDialog({ worker }: { readonly worker: string }) {
  const found = useHost((state) => state.run?.workers.find((one) => one.name === worker));
  const [model, setModel] = useState(found?.model ?? "");
  const [brief, setBrief] = useState("");
  const { sending, failure, submit } = useSubmit<"reassigning">();
  const usable = model.trim() !== "" && sending === null;
  const reassign = (): Promise<void> =>
    submit("reassigning", async () => {
      const { worker: next } = await client.run.reassignWorker({
        worker,
        model: model.trim() === found?.model ? null : model.trim(),
        brief,
      });
      closeAgentDialog();
      recordEdit(`giving the task of ${worker} to ${next}`, {
        kind: "final",
        why: `${next} already works on this task. Reassign it again, or undo the work of ${next}.`,
        at: found?.changeId ? { key: found.changeId, title: found.title } : null,
      });
      notify("info", `Reassigned to ${next}. ${worker}’s work is kept.`);
    });
  return (
    <Dialog
      open
      onClose={closeAgentDialog}
      title={`Reassign the task of ${worker}`}
      {...(found ? { description: found.title } : {})}
      actions={
        <>
          <Button onClick={closeAgentDialog}>Cancel</Button>
          <Button look="primary" disabled={!usable} onClick={() => void reassign()}>
            {sending ? "Saving after the current turn…" : "Reassign"} <Keys keys="mod+Enter" />
          </Button>
        </>
      }
    >
      <SubmitForm canSubmit={usable} onSubmit={reassign}>
        <p className="text-muted">
          {worker} finishes its current request and stops. Its work stays in the change. A new agent gets the
          list of what was done, the last checks, the messages and your note.
        </p>
        <Field label="Model" hint="For the new agent only">
          {(ids) => <TextInput {...ids} value={model} onChange={(event) => setModel(event.target.value)} />}
        </Field>
        <Field label="Note for the new agent">
          {(ids) => (
            <TextArea
              {...ids}
              autoFocus
              rows={4}
              maxLength={20_000}
              value={brief}
              onChange={(event) => setBrief(event.target.value)}
            />
          )}
        </Field>
        <FailureLine failure={failure} />
      </SubmitForm>
    </Dialog>
  );
}
