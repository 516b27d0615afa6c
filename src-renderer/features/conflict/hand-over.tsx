import { useState } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextInput } from "../../kit/field.tsx";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { type Writable, writableNow } from "../agent/writable.ts";

interface Helper {
  readonly worker: WorkerView;
  readonly writable: Extract<Writable, { kind: "open" }>;
}

/** Whoever works on the change, or else whom that one answers to; null where nobody would read it. */
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

/** Gives the conflict to an agent, with a word about how. */
export function HandOver({ change, path }: { readonly change: Change; readonly path: string }) {
  const run = useHost((state) => state.run);
  const helper = helperOf(change, run);
  const [words, setWords] = useState("");
  const { sending, failure, submit } = useSubmit<"sending">();
  if (helper === null) return null;
  const { name } = helper.worker;
  const send = (): Promise<void> =>
    submit("sending", async () => {
      const text = [`Resolve the conflict in ${shownName(path)}.`, words.trim()].join(" ").trim();
      await client.run.messageWorker({ worker: name, text });
      if (helper.writable.canInterrupt) await client.run.interruptWorker({ worker: name });
      notify("info", `${name} was asked to settle ${shownName(path)}.`);
      inspect(change.changeId);
    });
  return (
    <form
      aria-label={`Hand over to ${name}`}
      className="flex shrink-0 flex-col border-t px-3 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (sending === null) void send();
      }}
    >
      <div className="flex items-center gap-2">
        <TextInput
          aria-label={`How ${name} should settle it`}
          placeholder={`Or let ${name} settle it: a word about how`}
          maxLength={10_000}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button type="submit" disabled={sending !== null}>
          Hand to {name}
        </Button>
      </div>
      {failure && <FailureLine failure={failure} />}
    </form>
  );
}
