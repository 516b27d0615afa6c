/** The whole repository back to a moment: what that does, before it is done. */
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { failureText } from "../../kit/failure-line.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { takeBackNow } from "../../state/undo-and-redo.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { Moment, Preview } from "./restore-preview.tsx";
import { closeRestore, useRestore } from "./restore-store.ts";

export function RestoreDialog() {
  const to = useRestore((state) => state.to);
  return to === null ? null : <Restoring to={to} />;
}

const clock = (at: number): string => new Date(at).toLocaleTimeString();

function Restoring({ to }: { readonly to: string | number }) {
  // What anybody does meanwhile makes it another question.
  const newest = useHost((state) => state.operations[0]?.id ?? "");
  const paused = useHost((state) =>
    [state.run, ...state.otherRuns.map(({ run }) => run)].map((run) => run?.paused).join(),
  );
  const loaded = useLoaded(`${to} ${newest} ${paused}`, () => client.operation.previewRestore({ to }));
  const { sending, failure, submit } = useSubmit<"restoring" | "pausing">();
  const preview = shownValue(loaded);
  const refusal = preview?.refusal ?? null;
  const restore = (): Promise<void> =>
    submit("restoring", async () => {
      if (!preview) return;
      const { moment, head } = preview;
      const { operation } = await client.operation.restore({ operation: moment.operation, head });
      closeRestore();
      const done = recordEdit(`restoring everything to ${clock(moment.at)}`, {
        kind: "operation",
        operation,
      });
      notify("info", `Restored everything to ${clock(moment.at)}.`, null, {
        label: "Undo",
        run: () => takeBackNow(done),
      });
    });
  const problem = loaded.kind === "failed" ? loaded.failure : failure;
  return (
    <Dialog
      open
      onClose={closeRestore}
      title={preview ? `Restore everything to ${clock(preview.moment.at)}?` : "Restore everything?"}
      {...(preview ? { description: <Moment moment={preview.moment} /> } : {})}
      width="w-[600px]"
      actions={
        <>
          <Button autoFocus onClick={closeRestore}>
            Cancel
          </Button>
          {refusal?.kind === "running" ? (
            <Button
              look="primary"
              disabled={sending !== null}
              onClick={() => void submit("pausing", () => client.run.pauseAll())}
            >
              Pause all runs
            </Button>
          ) : (
            <Button
              look="danger"
              disabled={loaded.kind !== "loaded" || refusal !== null || sending !== null}
              onClick={() => void restore()}
            >
              {sending === "restoring" ? "Waiting for current turns to end…" : "Restore everything"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex min-h-40 flex-col gap-3">
        {!preview && loaded.kind === "loading" && <IndeterminateLine label="Previewing the restore" />}
        {refusal && (
          <p role="alert" className="rounded-md bg-warning-soft px-3 py-2">
            {refusal.kind === "running"
              ? `${refusal.reason} Pause first: Hox does not restore while agents are working.`
              : `${refusal.reason} ${refusal.remedy}`}
          </p>
        )}
        {preview && refusal?.kind !== "nothing" && <Preview preview={preview} />}
        {problem && (
          <p role="alert" className="text-danger">
            {failureText(problem)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
