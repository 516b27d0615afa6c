import { Download, FolderOpen, Play } from "lucide-react";
import { useRef, useState } from "react";
import { maxRecordingBytes, uploadPartBytes } from "#shared/contract/commands/replay.ts";
import type { RunSummary } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { toBase64 } from "../../kit/save-file.ts";
import { dialogWhenOpen } from "../../registry/dialog-when-open.tsx";
import type { Feature } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { beginReplay } from "../../state/replay.ts";
import { closeDialog, closeDialogOf } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { operationKeys } from "./operation-list.tsx";
import { exportedMessage, replayActions, replayRun, saveRun } from "./replay-actions.ts";
import { RestoreDialog } from "./restore-dialog.tsx";
import { trackKeys } from "./time-track.tsx";

/** What was: operations, and recorded runs. */
export const time: Feature = {
  actions: replayActions,
  keys: [trackKeys, operationKeys],
  dialogs: [dialogWhenOpen("recorded-runs", RecordedRunsDialog), RestoreDialog],
};

const none: readonly RunSummary[] = [];

/** Every run that this repository ever had: to be watched again, or taken to another machine. */
function RecordedRunsDialog() {
  const runs = useHost((state) => state.repository?.runs ?? none);
  const entries = shownValue(useLoaded(runs.map(({ id }) => id).join(), () => client.runs.list({}))) ?? [];
  const file = useRef<HTMLInputElement>(null);
  const { failure, progress, isBusy, execute } = useExecution();
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Recorded runs"
      description="Replay a run without a model and without changing anything."
      width="w-[640px]"
      actions={
        <>
          <Button disabled={isBusy} onClick={() => file.current?.click()}>
            <FolderOpen size={14} aria-hidden /> Open a recording…
          </Button>
          <input
            ref={file}
            type="file"
            aria-label="A recording"
            accept=".hoxrun"
            className="hidden"
            onChange={(event) => {
              const [chosen] = event.target.files ?? [];
              if (chosen) execute((progress) => openFile(chosen, progress));
              event.target.value = "";
            }}
          />
          <span className="flex-1" />
          <Button onClick={closeDialog}>Close</Button>
        </>
      }
    >
      {runs.length === 0 ? (
        <EmptyState title="No runs yet">
          Every run is recorded automatically. Open a recording to replay a run of another machine.
        </EmptyState>
      ) : (
        <ul className="divide-y" aria-label="Recorded runs">
          {runs.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              microDollars={entries.find(({ id }) => id === run.id)?.microDollars ?? null}
              isBusy={isBusy}
              execute={execute}
            />
          ))}
        </ul>
      )}
      <div className="sticky -bottom-4 -mx-4 -mb-4 bg-raised px-4 py-2">
        <FailureLine failure={failure} {...(progress === "" ? {} : { className: "hidden" })} />
        {progress !== "" && (
          <p role="status" className="min-h-5 text-sm text-muted">
            {progress}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface ProgressReporter {
  /** What went wrong. */
  readonly tell: (error: unknown) => void;
  /** How far it is. */
  readonly say: (words: string) => void;
}

type Execute = (
  /** Answers with what there is to say, or nothing. */
  task: (progress: ProgressReporter) => Promise<string | undefined>,
) => void;

/** What is begun here ends here: with its failure, or with where the file is. */
function useExecution(): {
  readonly failure: Failure | null;
  readonly progress: string;
  readonly isBusy: boolean;
  readonly execute: Execute;
} {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [progress, setProgress] = useState("");
  const [isBusy, setBusy] = useState(false);
  const tell = (error: unknown): void => setFailure(toFailure(error));
  return {
    failure,
    progress,
    isBusy,
    execute(task) {
      setFailure(null);
      setProgress("");
      setBusy(true);
      task({ tell, say: setProgress })
        .then((words) => setProgress(words ?? ""))
        .catch((error: unknown) => {
          setProgress("");
          tell(error);
        })
        .finally(() => setBusy(false));
    },
  };
}

const tones = { complete: "success", failed: "danger", stopped: "warning" } as const;

interface RunRowProps {
  readonly run: RunSummary;
  /** Null: not loaded. */
  readonly microDollars: number | null;
  readonly isBusy: boolean;
  readonly execute: Execute;
}

function RunRow({ run, microDollars, isBusy, execute }: RunRowProps) {
  const tone = run.stage in tones ? tones[run.stage as keyof typeof tones] : "info";
  return (
    <li className="flex items-center gap-2.5 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{shownLine(run.goal)}</p>
        <p className="flex items-center gap-2 text-sm text-muted">
          <Badge tone={tone}>{run.stage}</Badge>
          <span>
            started <RelativeTime at={run.startedAt} /> ago
          </span>
          {microDollars !== null && <span className="tabular-nums">${(microDollars / 1e6).toFixed(2)}</span>}
          <span className="font-mono text-xs text-faint">{run.id.slice(0, 8)}</span>
        </p>
      </div>
      <IconButton
        label="Export…"
        icon={<Download size={15} />}
        disabled={isBusy}
        onClick={() => execute(async () => exportedMessage(await saveRun(run.id)).join(" "))}
      />
      <Button
        size="sm"
        disabled={isBusy}
        onClick={() =>
          execute(async ({ tell }) => {
            await replayRun(run.id, tell);
            return undefined;
          })
        }
      >
        <Play size={13} aria-hidden /> Replay
      </Button>
    </li>
  );
}

async function openFile(file: File, { tell, say }: ProgressReporter): Promise<undefined> {
  const upload = await uploadRecording(file, say);
  if (await beginReplay(() => client.replay.openFile({ upload }), { tell })) closeDialogOf("recorded-runs");
}

const megabytes = (bytes: number): string =>
  (bytes / 1024 / 1024).toLocaleString("en", { maximumFractionDigits: 1 });

/**
 * A recording's file on its way to the host, in parts.
 *
 * @param say hears how far it is, where there is more than one part
 */
async function uploadRecording(file: File, say: (words: string) => void): Promise<string> {
  if (file.size > maxRecordingBytes)
    throw new Error(
      `${file.name} is ${megabytes(file.size)} MB; recordings are at most ${megabytes(maxRecordingBytes)} MB. Check that it is the right file.`,
    );
  if (file.size === 0)
    throw new Error(`${file.name} is empty. Export the run again and copy the complete file.`);
  const { upload } = await client.replay.beginUpload({ name: file.name, bytes: file.size });
  for (let from = 0; from < file.size; from += uploadPartBytes) {
    if (file.size > uploadPartBytes)
      say(`Reading ${file.name}: ${megabytes(from)} of ${megabytes(file.size)} MB`);
    await client.replay.upload({ upload, content: await toBase64(file.slice(from, from + uploadPartBytes)) });
  }
  if (file.size > uploadPartBytes) say(`Opening ${file.name}`);
  return upload;
}
