import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextInput } from "../../kit/field.tsx";
import { draftRun, useTextDraft } from "../../state/drafts.ts";
import { subjectOf } from "../../state/graph-store.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { useReplay } from "../../state/replay-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { type Writable, writableNow } from "../agent/writable.ts";

interface Helper {
  readonly worker: WorkerView;
  readonly writable: Extract<Writable, { kind: "open" }>;
}

/** The worker of the change, or else its orchestrator; null where no agent would read it. */
function helperOf(change: Change, run: RunView | null): Helper | null {
  if (run === null) return null;
  const own = workersByChange(run.workers).get(change.changeId);
  const lead = run.workers.find(({ name }) => name === (change.metadata.orchestrator ?? own?.parent));
  for (const worker of [own, lead]) {
    const writable = worker ? writableNow(worker, run) : null;
    if (worker && writable?.kind === "open") return { worker, writable };
  }
  return null;
}

interface HandOverProps {
  readonly change: Change;
  readonly path: string;
}

/** Gives the conflict to an agent, with a word about how: to one that is at work, or to one that begins with it. */
export function HandOver({ change, path }: HandOverProps) {
  const run = useHost((state) => state.run);
  const isReplaying = useReplay(({ view }) => view !== null);
  const helper = helperOf(change, run);
  if (isReplaying) return null;
  return helper === null ? (
    <HandToNewRun change={change} path={path} />
  ) : (
    <HandToWorker change={change} path={path} helper={helper} />
  );
}

function HandToWorker({ change, path, helper }: HandOverProps & { readonly helper: Helper }) {
  const { sending, failure, submit } = useSubmit<"sending">();
  const { name } = helper.worker;
  const send = async (words: string): Promise<boolean> => {
    let isSent = false;
    await submit("sending", async () => {
      const text = [`Resolve the conflict in ${shownName(path)}.`, words].join(" ").trim();
      await client.run.messageWorker({ worker: name, text });
      isSent = true;
      if (helper.writable.canInterrupt) await client.run.interruptWorker({ worker: name });
      notify("info", `${name} was asked to resolve ${shownName(path)}.`);
      inspect(change.changeId);
    });
    return isSent;
  };
  return (
    <HandOverForm
      place={`conflict ${change.changeId} ${path} ${name}`}
      label={`Assign to ${name}`}
      field={`How ${name} should resolve it`}
      placeholder={`Or let ${name} resolve it: instructions (optional)`}
      button={`Assign to ${name}`}
      isBusy={sending !== null}
      onSend={send}
    >
      {failure && <FailureLine failure={failure} />}
    </HandOverForm>
  );
}

/** Nobody is at work who would read it: one agent can begin with nothing else to do. */
function HandToNewRun({ change, path }: HandOverProps) {
  const subject = subjectOf(change);
  const where = `${shownName(path)}${subject === "" ? "" : ` of “${subject}”`}`;
  return (
    <HandOverForm
      place={`conflict ${change.changeId} ${path}`}
      label="Assign to a new agent"
      field="How an agent should resolve it"
      placeholder="Or let an agent resolve it: instructions (optional)"
      button="Start a run for it…"
      isBusy={false}
      onSend={async (words) => {
        draftRun({
          goal: [`Resolve the conflict in ${where}.`, words].join(" ").trim(),
          onto: change.changeId,
          isQuick: true,
        });
        // Nothing has started yet: closing the dialog keeps the words here.
        return false;
      }}
    />
  );
}

interface HandOverFormProps {
  /** Names what was written and not sent. */
  readonly place: string;
  readonly label: string;
  readonly field: string;
  readonly placeholder: string;
  readonly button: string;
  readonly isBusy: boolean;
  /** Answers whether it is sent; then the words are kept no longer. */
  readonly onSend: (words: string) => Promise<boolean>;
  readonly children?: React.ReactNode;
}

function HandOverForm({
  place,
  label,
  field,
  placeholder,
  button,
  isBusy,
  onSend,
  children,
}: HandOverFormProps) {
  const [words, setText, takeOut] = useTextDraft(place);
  const send = async (): Promise<void> => {
    if (await onSend(words.trim())) takeOut(words);
  };
  return (
    <form
      aria-label={label}
      className="flex shrink-0 flex-col border-t px-3 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void send();
      }}
    >
      <div className="flex items-center gap-2">
        <TextInput
          aria-label={field}
          placeholder={placeholder}
          maxLength={10_000}
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={isBusy}>
          {button}
        </Button>
      </div>
      {children}
    </form>
  );
}
