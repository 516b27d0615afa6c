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
        why: `${worker} has left, and ${next} works on it by now. Reassign it once more, or undo the work of ${next}.`,
        at: found?.changeId ? { key: found.changeId, title: found.title } : null,
      });
      notify("info", `The task is ${next}’s now; all that ${worker} did is still in it.`);
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
            {sending ? "Saving at its turn boundary…" : "Reassign"} <Keys keys="mod+Enter" />
          </Button>
        </>
      }
    >
      <SubmitForm canSubmit={usable} onSubmit={reassign}>
        <p className="text-muted">
          {worker} finishes the request that it is in and leaves. Its work stays in the change, and a fresh
          agent is told what was done, the last checks, its messages, and your words.
        </p>
        <Field label="Model" hint="Of the new agent alone">
          {(ids) => <TextInput {...ids} value={model} onChange={(event) => setModel(event.target.value)} />}
        </Field>
        <Field label="What it should know">
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
