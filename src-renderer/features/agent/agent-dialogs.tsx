import { useEffect, useRef, useState } from "react";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { CountField, Field, TextArea, useLimitFields } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { FormDialog } from "../../kit/submit-form.tsx";
import { messageDraft, useTextDraft } from "../../state/drafts.ts";
import { recordEdit } from "../../state/edit-history.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { useSubmit } from "../../state/use-loaded.ts";
import { type AgentDialog, closeAgentDialog, useAgentDialog } from "./agent-actions.ts";
import { AgentField } from "./agent-field.tsx";
import { TakeoverDialog } from "./takeover-dialog.tsx";
import { UndoDialog } from "./undo-dialog.tsx";

interface Answer {
  readonly question: string;
  readonly text: string;
  /** Null while it comes. */
  readonly microDollars: number | null;
}

/** Follows the answer until it is there. @param onId hears under what name it can be taken back */
async function follow(
  who: string,
  question: string,
  onId: (id: string) => void,
  onText: (text: string) => void,
) {
  const { id } = await client.run.ask({ who, question });
  onId(id);
  for (let text = ""; ; ) {
    const more = await client.run.askMore({ id, after: text.length });
    text += more.text;
    onText(text);
    if (more.end !== null) return more.end;
  }
}

const cancel = (id: string | null): void => {
  if (id !== null) client.run.cancelAsk({ id }).catch(() => undefined);
};

function useQuestion(worker: string) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const going = useRef<string | null>(null);
  // Closing the dialog cancels an answer that would go unread.
  useEffect(() => () => cancel(going.current), []);
  /** Answers whether there is an answer. */
  const ask = async (question: string): Promise<boolean> => {
    const show = (text: string, microDollars: number | null): void =>
      setAnswer({ question, text, microDollars });
    setFailure(null);
    show("", null);
    let answerText = "";
    try {
      const end = await follow(
        worker,
        question,
        (id) => {
          going.current = id;
        },
        (text) => {
          answerText = text;
          show(text, null);
        },
      );
      going.current = null;
      if (end.kind === "answered") show(answerText, end.microDollars);
      else setAnswer(null);
      if (end.kind === "failed")
        setFailure({ code: "REFUSED", text: end.message, remedy: end.remedy, start: null, end: null });
      return end.kind === "answered";
    } catch (error) {
      going.current = null;
      setAnswer(null);
      setFailure(toFailure(error));
      return false;
    }
  };
  return {
    answer,
    failure,
    isGoing: answer !== null && answer.microDollars === null,
    ask,
    takeBack: () => cancel(going.current),
  };
}

/** Asks a worker without interrupting it; the answer streams in, and is part of its conversation too. */
function AskDialog({ worker }: { readonly worker: string }) {
  const run = useHost((state) => state.run?.id ?? "");
  const [question, setQuestion, takeOut] = useTextDraft(`question ${run} ${worker}`);
  const { answer, failure, isGoing, ask, takeBack } = useQuestion(worker);
  const usable = question.trim() !== "" && !isGoing;
  const submit = async (): Promise<void> => {
    if (await ask(question)) takeOut(question);
  };
  return (
    <Dialog
      open
      onClose={closeAgentDialog}
      title={`Ask ${worker}`}
      description="A read-only fork of its conversation answers. The agent itself is not interrupted."
      actions={
        <>
          <Button onClick={closeAgentDialog}>{answer?.microDollars == null ? "Cancel" : "Close"}</Button>
          {isGoing ? (
            <Button onClick={takeBack}>Withdraw</Button>
          ) : (
            <Button look="primary" disabled={!usable} onClick={() => void submit()}>
              Ask <Keys keys="mod+Enter" />
            </Button>
          )}
        </>
      }
    >
      {answer && <AnswerBox answer={answer} />}
      <TextArea
        aria-label="Question"
        placeholder={answer === null ? "Why did you choose this? What is left to do?" : "Ask something else"}
        autoFocus
        rows={answer === null ? 4 : 2}
        maxLength={20_000}
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
        onSend={() => usable && void submit()}
      />
      <FailureLine failure={failure} className="mt-1" />
    </Dialog>
  );
}

function AnswerBox({ answer: { question, text, microDollars } }: { readonly answer: Answer }) {
  return (
    <section aria-label="Answer" aria-live="polite" className="mb-3 rounded-md border bg-sunken px-3 py-2">
      <p className="mb-1 font-medium" data-selectable>
        {shownText(question)}
      </p>
      {text !== "" && (
        <ScrollBox label="The answer" className="max-h-72">
          <p className="whitespace-pre-wrap" data-selectable>
            {shownText(text)}
          </p>
        </ScrollBox>
      )}
      {microDollars === null ? (
        <IndeterminateLine label="Answering" />
      ) : (
        <p className="mt-1 text-xs text-faint">{dollars(microDollars)}</p>
      )}
    </section>
  );
}

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
      <AgentField label="Agent or model" hint="For the new agent only" value={model} onChange={setModel} />
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
