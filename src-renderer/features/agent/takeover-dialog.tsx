import { Copy, FolderOpen, PencilLine, RefreshCw, SquareTerminal } from "lucide-react";
import { useState } from "react";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { type OpenerKind, openerKinds } from "#shared/domain/open-in/opener.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { useHost } from "../../state/host-store.ts";
import { copyText, notify } from "../../state/notify.ts";
import { openIn } from "../../state/open-in.ts";
import { useLoaded, useSubmit } from "../../state/use-loaded.ts";
import { closeAgentDialog, givenBack } from "./agent-actions.ts";

/** A task in a user's hands: where its files are, what was changed so far, and the two ways out. */
export function TakeoverDialog({ worker }: { readonly worker: string }) {
  const [looks, setLooks] = useState(0);
  const loaded = useLoaded(`${worker} ${looks}`, () => client.run.previewTakeover({ worker }));
  const theme = useShownTheme();
  const [words, setText] = useState("");
  const { sending, failure, failed, giveBack, finish } = useWaysOut(worker, words);
  const takeover = loaded.kind === "loaded" ? loaded.value : null;
  return (
    <Dialog
      open
      onClose={closeAgentDialog}
      title={`The task of ${worker} is assigned to you`}
      description="The agent is paused until you return the task. You can close this dialog."
      width="w-[640px]"
      actions={
        <>
          <Button disabled={!takeover || sending !== null} onClick={() => void finish()}>
            {sending === "checking" ? "Checking…" : "Mark as done"}
          </Button>
          <Button look="primary" disabled={!takeover || sending !== null} onClick={() => void giveBack()}>
            {sending === "giving" ? "Saving…" : "Return task"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <FolderLine worker={worker} folder={takeover?.folder ?? null} />
        <section aria-label="Your changes">
          <div className="mb-1 flex items-center justify-between">
            <h3 className="text-sm font-medium text-muted">Your changes</h3>
            <Button look="ghost" size="sm" disabled={sending !== null} onClick={() => setLooks(looks + 1)}>
              <RefreshCw size={13} aria-hidden /> Save and refresh
            </Button>
          </div>
          <div className="max-h-64 min-h-16 overflow-y-auto rounded-md border">
            {takeover && <DiffView diff={takeover.diff} theme={theme} empty="No files yet." />}
          </div>
        </section>
        {failed.length > 0 && (
          <section aria-label="Failed checks" className="-mx-3">
            <ChecksView checks={failed} />
          </section>
        )}
        <Field label="Note for the agent">
          <TextArea
            rows={3}
            maxLength={20_000}
            value={words}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <FailureLine failure={loaded.kind === "failed" ? loaded.failure : failure} />
      </div>
    </Dialog>
  );
}

/** Back to the agent, or done by the user when the checks agree. */
function useWaysOut(worker: string, words: string) {
  const { sending, failure, submit } = useSubmit<"giving" | "checking">();
  const [failed, setFailed] = useState<readonly CheckResult[]>([]);
  const giveBack = (): Promise<void> => {
    setFailed([]);
    return submit("giving", async () => {
      await client.run.giveBack({ worker, words });
      closeAgentDialog();
      const { run } = useHost.getState();
      if (run) notify("info", givenBack(worker, run));
    });
  };
  const finish = (): Promise<void> => {
    setFailed([]);
    return submit("checking", async () => {
      const { done, checks } = await client.run.finishByHand({ worker, summary: words });
      if (done) closeAgentDialog();
      else setFailed(checks.filter(isBlocking));
    });
  };
  return { sending, failure, failed, giveBack, finish };
}

/** Where its files are, and the ways there; `folder` is null until that is known. */
function FolderLine({ worker, folder }: { readonly worker: string; readonly folder: string | null }) {
  const changeId = useHost(
    (state) => state.run?.workers.find(({ name }) => name === worker)?.changeId ?? null,
  );
  return (
    <div>
      <div className="mb-1 text-sm font-medium text-muted">Workspace</div>
      <div className="flex items-center gap-1.5">
        <code
          className="min-w-0 flex-1 truncate rounded-md bg-sunken px-2 py-1 font-mono text-xs"
          data-selectable
          title={folder ?? undefined}
        >
          {folder ?? "…"}
        </code>
        <Button
          size="sm"
          disabled={folder === null}
          onClick={() => folder !== null && void copyText("path", folder)}
        >
          <Copy size={13} aria-hidden /> Path
        </Button>
      </div>
      <div className="mt-1.5 flex gap-1.5">
        {openerKinds.map((kind) => (
          <Button
            key={kind}
            size="sm"
            disabled={folder === null || changeId === null}
            onClick={() => changeId !== null && openIn(kind, changeId)}
          >
            {openIcons[kind]} {openLabels[kind]}
          </Button>
        ))}
      </div>
    </div>
  );
}

const openIcons: Readonly<Record<OpenerKind, React.ReactNode>> = {
  editor: <PencilLine size={13} aria-hidden />,
  terminal: <SquareTerminal size={13} aria-hidden />,
  files: <FolderOpen size={13} aria-hidden />,
};
const openLabels: Readonly<Record<OpenerKind, string>> = {
  editor: "Open in the editor",
  terminal: "Terminal",
  files: "Open folder",
};
