import { useState } from "react";
import { roles } from "#shared/domain/worker/roles.ts";
import { client } from "../../client.ts";
import { dollars } from "../../kit/amounts.ts";
import { CountField, Field, TextArea, TextInput, useLimitFields } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { FormDialog } from "../../kit/submit-form.tsx";
import { messageDraft, useTextDraft } from "../../state/drafts.ts";
import { recordEdit } from "../../state/edit-history.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { type AgentDialog, closeAgentDialog, useAgentDialog } from "./agent-actions.ts";
import { AskDialog } from "./ask-dialog.tsx";
import { TakeoverDialog } from "./takeover-dialog.tsx";
import { UndoDialog } from "./undo-dialog.tsx";

const dialogs: Readonly<Record<AgentDialog, (props: { readonly worker: string }) => React.ReactNode>> = {
  message: MessageDialog,
  ask: AskDialog,
  reassign: ReassignDialog,
  takeover: TakeoverDialog,
  limits: LimitsDialog,
  undo: UndoDialog,
};

/** What one worker may spend, including agents below it, and how long an agent may try. */
function LimitsDialog({ worker }: { readonly worker: string }) {
  const found = useHost((state) => state.run?.workers.find((one) => one.name === worker));
  const { limits, fields } = useLimitFields({
    tokens: found?.budget.limitTokens ?? null,
    microDollars: found?.budget.limitMicroDollars ?? null,
  });
  const [iterations, setIterations] = useState<number | null>(found?.budget.maxIterations ?? 1);
  const { sending, failure, submit } = useSubmit<"setting">();
  const leads = found !== undefined && roles[found.role].isLead;
  const usable = limits !== null && iterations !== null && sending === null;
  const set = (): Promise<void> =>
    submit("setting", async () => {
      if (limits === null || iterations === null) return;
      await client.run.setWorkerLimits({
        worker,
        ...limits,
        ...(leads || iterations === found?.budget.maxIterations ? {} : { maxIterations: iterations }),
      });
      closeAgentDialog();
    });
  return (
    <FormDialog
      onClose={closeAgentDialog}
      title={`Budget of ${worker}`}
      description={
        leads
          ? "Applies to this orchestrator and all agents below it. At the limit an agent saves and stops, and a card asks you."
          : "At the limit this agent saves and stops, and a card asks you. Other agents continue."
      }
      action="Set"
      canSubmit={usable}
      onSubmit={set}
      failure={failure}
    >
      <p className="text-muted tabular-nums">
        Spent so far: {dollars(found?.budget.spent.microDollars ?? 0)}
        {leads ? " including agents below" : ""}.
      </p>
      <div className="grid grid-cols-2 gap-2">{fields}</div>
      {!leads && (
        <CountField
          label="Iterations before Hox asks you"
          value={iterations}
          max={1_000}
          onChange={setIterations}
        />
      )}
    </FormDialog>
  );
}

/** Gives an agent's task to a fresh one: with which model and instructions. */
function ReassignDialog({ worker }: { readonly worker: string }) {
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
    <FormDialog
      onClose={closeAgentDialog}
      title={`Reassign the task of ${worker}`}
      {...(found ? { description: found.title } : {})}
      action={
        <>
          {sending ? "Saving after the current turn…" : "Reassign"} <Keys keys="mod+Enter" />
        </>
      }
      canSubmit={usable}
      onSubmit={reassign}
      failure={failure}
    >
      <p className="text-muted">
        {worker} finishes its current request and stops. Its work stays in the change. A new agent gets the
        list of what was done, the last checks, the messages and your note.
      </p>
      <Field label="Model" hint="For the new agent only">
        <TextInput value={model} onChange={(event) => setModel(event.target.value)} />
      </Field>
      <Field label="Note for the new agent">
        <TextArea
          autoFocus
          rows={4}
          maxLength={20_000}
          value={brief}
          onChange={(event) => setBrief(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function MessageDialog({ worker }: { readonly worker: string }) {
  const run = useHost((state) => state.run?.id ?? "");
  const [text, setText, takeOut] = useTextDraft(messageDraft(run, worker));
  const { sending, failure, submit } = useSubmit<"sending">();
  const usable = text.trim() !== "" && sending === null;
  const send = (): Promise<void> =>
    submit("sending", async () => {
      await client.run.messageWorker({ worker, text });
      takeOut(text);
      closeAgentDialog();
      notify("info", `${worker} reads your message with its next prompt.`);
    });
  return (
    <FormDialog
      onClose={closeAgentDialog}
      title={`Message to ${worker}`}
      description="Recorded as a separate change on the graph. The agent gets it with its next prompt and cannot finish before."
      action={
        <>
          Send <Keys keys="mod+Enter" />
        </>
      }
      canSubmit={usable}
      onSubmit={send}
      failure={failure}
    >
      <TextArea
        aria-label="Message"
        autoFocus
        rows={6}
        maxLength={20_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}

/** Mounted once, beside the other dialogs. */
export function AgentDialogs() {
  const open = useAgentDialog((state) => state.open);
  if (!open) return null;
  const Shown = dialogs[open.kind];
  return <Shown key={`${open.kind} ${open.worker}`} worker={open.worker} />;
}
