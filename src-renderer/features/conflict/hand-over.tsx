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
import { useSubmit } from "../../state/use-loaded.ts";
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
  const name = helper?.worker.name;
  const [words, setText, takeOut] = useTextDraft(`conflict ${change.changeId} ${path} ${name ?? ""}`);
  const { sending, failure, submit } = useSubmit<"sending">();
  if (isReplaying) return null;
  const ask = (file: string): string => [`Resolve the conflict in ${file}.`, words.trim()].join(" ").trim();
  const send = (): Promise<void> =>
    submit("sending", async () => {
      if (!helper) {
        const subject = subjectOf(change);
        const where = `${shownName(path)}${subject === "" ? "" : ` of “${subject}”`}`;
        // Nothing has started yet: closing the dialog keeps the words here.
        draftRun({ goal: ask(where), onto: change.changeId, isQuick: true });
        return;
      }
      const { worker, writable } = helper;
      await client.run.messageWorker({ worker: worker.name, text: ask(shownName(path)) });
      takeOut(words);
      if (writable.canInterrupt) await client.run.interruptWorker({ worker: worker.name });
      notify("info", `${worker.name} was asked to resolve ${shownName(path)}.`);
      inspect(change.changeId);
    });
  return (
    <form
      aria-label={`Assign to ${name ?? "a new agent"}`}
      className="flex shrink-0 flex-col border-t px-3 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (sending === null) void send();
      }}
    >
      <div className="flex items-center gap-2">
        <TextInput
          aria-label={`How ${name ?? "an agent"} should resolve it`}
          placeholder={`Or let ${name ?? "an agent"} resolve it: instructions (optional)`}
          maxLength={10_000}
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={sending !== null}>
          {name === undefined ? "Start a run for it…" : `Assign to ${name}`}
        </Button>
      </div>
      {failure && <FailureLine failure={failure} />}
    </form>
  );
}
