import { useState } from "react";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Keys } from "../../kit/keys.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useDraft } from "../../state/drafts.ts";
import { useHost } from "../../state/host-store.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { writableNow } from "../agent/writable.ts";
import { CommentFrame, lineDraft } from "./comment-frame.tsx";

type Reader = "agent" | "orchestrator" | "review";

interface CommentFormProps {
  readonly changeId: string;
  readonly worker: WorkerView;
  readonly place: { readonly path: string; readonly line: number };
  readonly onDone: () => void;
}

/** Whom the last comment was for: the next one is mostly for the same. */
let lastReader: Reader = "agent";

/** A comment on one line, and who reads it. */
export function CommentForm({ changeId, worker, place, onDone }: CommentFormProps) {
  const [text, setText] = useDraft(lineDraft(changeId, place), "");
  const finish = (): void => {
    setText("");
    onDone();
  };
  const run = useHost((state) => state.run);
  const lead = run?.workers.find(({ name }) => name === worker.parent);
  const hears = (one: WorkerView | undefined): boolean =>
    run !== null && one !== undefined && writableNow(one, run)?.kind === "open";
  const readers: readonly (readonly [Reader, string])[] = [
    ...(hears(worker) ? [["agent", worker.name] as const] : []),
    ...(hears(lead) && lead ? [["orchestrator", lead.name] as const] : []),
    ["review", "The review"],
  ];
  const [chosen, setChosen] = useState<Reader>(lastReader);
  const reader = readers.some(([one]) => one === chosen) ? chosen : (readers[0]?.[0] ?? "review");
  const { sending, failure, submit } = useSubmit<"sending">();
  const isUsable = text.trim() !== "" && sending === null;
  const send = (): Promise<void> =>
    submit("sending", async () => {
      await client.comment.write({ changeId, ...place, text: text.trim(), to: reader });
      lastReader = reader;
      finish();
    });
  return (
    <CommentFrame
      line={place.line}
      text={text}
      onText={setText}
      isUsable={isUsable}
      onSend={() => void send()}
      onDone={onDone}
    >
      {failure && <FailureLine failure={failure} />}
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Send to"
          value={reader}
          options={readers.map(([value, label]) => ({ value, label }))}
          onChange={setChosen}
        />
        <span className="min-w-0 flex-1 text-xs text-faint">
          {reader === "review"
            ? "The reviewer of this work sees it in the diff."
            : "Sent as a message from you."}
        </span>
        <Button size="sm" onClick={finish}>
          Cancel
        </Button>
        <Button size="sm" look="primary" type="submit" disabled={!isUsable}>
          Comment <Keys keys="mod+Enter" />
        </Button>
      </div>
    </CommentFrame>
  );
}
