import { Pause, Play } from "lucide-react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import { client } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { matches } from "../../kit/key-table.ts";
import { Keys } from "../../kit/keys.tsx";
import { messageDraft, useTextDraft } from "../../state/drafts.ts";
import { useHost } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { useSubmit } from "../../state/use-loaded.ts";
import { act, possible } from "../agent/agent-actions.ts";
import { type Writable, writableNow } from "../agent/writable.ts";

interface ComposerProps {
  readonly run: string;
  readonly worker: string;
  /** A message was sent: scrolls to it. */
  readonly onSent: () => void;
}

/** Writes to an agent or orchestrator below its conversation. Nothing for a worker that takes no messages, and in a replay. */
export function Composer({ run: id, worker: name, onSent }: ComposerProps) {
  const run = useHost((state) => state.run);
  const isReplaying = useReplay(({ view }) => view !== null);
  const worker = run?.id === id ? run.workers.find((one) => one.name === name) : undefined;
  if (!run || !worker || isReplaying) return null;
  const writable = writableNow(worker, run);
  if (writable === null) return null;
  return (
    <div className="sticky bottom-0 z-10 mt-auto border-t bg-surface px-3 py-2">
      {writable.kind === "closed" ? (
        <p className="text-sm text-faint">{writable.words}</p>
      ) : (
        <Writing key={`${id} ${name}`} run={id} worker={worker} writable={writable} onSent={onSent} />
      )}
    </div>
  );
}

interface WritingProps {
  readonly run: string;
  readonly worker: WorkerView;
  readonly writable: Extract<Writable, { kind: "open" }>;
  readonly onSent: () => void;
}

function Writing({ run, worker, writable, onSent }: WritingProps) {
  const { name } = worker;
  const [text, write, takeOut] = useTextDraft(messageDraft(run, name));
  const { sending, failure, submit } = useSubmit<"sending">();
  const isUsable = text.trim() !== "" && sending === null;
  const send = (isUrgent: boolean): Promise<void> =>
    submit("sending", async () => {
      await client.run.messageWorker({ worker: name, text });
      takeOut(text);
      onSent();
      if (isUrgent) await client.run.interruptWorker({ worker: name });
    });
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const isUrgent = matches(event, "mod+Enter");
    if (event.nativeEvent.isComposing || !(isUrgent || matches(event, "Enter"))) return;
    event.preventDefault();
    if (isUsable) void send(isUrgent && writable.canInterrupt);
  };
  return (
    <form
      aria-label={`Message to ${name}`}
      className="flex flex-col gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (isUsable) void send(false);
      }}
    >
      <TextArea
        aria-label={`Write to ${name}`}
        aria-describedby="composer-hint"
        placeholder={`Write to ${name}`}
        rows={1}
        maxLength={20_000}
        className="field-sizing-content max-h-44 min-h-8! resize-none"
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {failure ? (
        <FailureLine failure={failure} />
      ) : (
        <p id="composer-hint" className="text-xs text-faint">
          {writable.words}
        </p>
      )}
      <div className="flex items-center gap-1.5">
        <PauseButton worker={worker} />
        <span className="flex-1" />
        {writable.canInterrupt && (
          <Button
            size="sm"
            disabled={!isUsable}
            title="Ends its current request, delivers this message, then continues"
            onClick={() => void send(true)}
          >
            Interrupt <Keys keys="mod+Enter" />
          </Button>
        )}
        <Button look="primary" size="sm" type="submit" disabled={!isUsable}>
          Send <Keys keys="Enter" />
        </Button>
      </div>
    </form>
  );
}

/** Brings an agent to its turn boundary, or lets it go on from there. */
function PauseButton({ worker }: { readonly worker: WorkerView }) {
  const can = useHost(({ run, inbox }) => run && possible(worker, run, inbox).has("pause"));
  const canResume = useHost(({ run, inbox }) => run && possible(worker, run, inbox).has("resume"));
  if (!can && !canResume) return null;
  const action = canResume ? "resume" : "pause";
  return (
    <IconButton
      label={canResume ? `Resume ${worker.name}` : `Pause ${worker.name} after its current turn`}
      className="size-6"
      icon={canResume ? <Play size={14} /> : <Pause size={14} />}
      onClick={() => act(action, worker.name)}
    />
  );
}
