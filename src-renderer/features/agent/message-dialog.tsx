import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { matches } from "../../kit/keyboard.ts";
import { Keys } from "../../kit/keys.tsx";
import { useTextDraft } from "../../state/drafts.ts";
import { useHost } from "../../state/host-store.ts";
import { messageDraft } from "../../state/message-draft.ts";
import { notify } from "../../state/notice-store.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { closeAgentDialog } from "./agent-actions.ts";

export function MessageDialog({ worker }: { readonly worker: string }) {
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
    <Dialog
      open
      onClose={closeAgentDialog}
      title={`Message to ${worker}`}
      description="Recorded as a separate change on the graph. The agent gets it with its next prompt and cannot finish before."
      actions={
        <>
          <Button onClick={closeAgentDialog}>Cancel</Button>
          <Button look="primary" disabled={!usable} onClick={() => void send()}>
            Send <Keys keys="mod+Enter" />
          </Button>
        </>
      }
    >
      <TextArea
        aria-label="Message"
        autoFocus
        rows={6}
        maxLength={20_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (!matches(event, "mod+Enter") || !usable) return;
          event.preventDefault();
          void send();
        }}
      />
      <FailureLine failure={failure} className="mt-1" />
    </Dialog>
  );
}
