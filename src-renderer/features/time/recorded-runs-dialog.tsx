import { Download, FolderOpen, Play } from "lucide-react";
import { useRef } from "react";
import { mostUploadedBytes } from "#shared/contract/commands/replay.ts";
import type { RunSummary } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { beginReplay } from "../../state/replay.ts";
import { closeDialog } from "../../state/selection-store.ts";
import { exportRun, replayRun } from "./replay-actions.ts";

const none: readonly RunSummary[] = [];

/** Every run that this repository ever had: to be watched again, or taken to another machine. */
export function RecordedRunsDialog() {
  const runs = useHost((state) => state.repository?.runs ?? none);
  const file = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Recorded runs"
      description="Watch a run again, without a model and without changing anything."
      width="w-[640px]"
      actions={
        <>
          <Button onClick={() => file.current?.click()}>
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
              if (chosen) void openFile(chosen);
              event.target.value = "";
            }}
          />
          <span className="flex-1" />
          <Button onClick={closeDialog}>Close</Button>
        </>
      }
    >
      {runs.length === 0 ? (
        <EmptyState title="No run yet">
          Every run is recorded by itself. Open a recording to watch one of another machine.
        </EmptyState>
      ) : (
        <ul className="divide-y" aria-label="Recorded runs">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const tones = { complete: "success", failed: "danger", stopped: "warning" } as const;

function RunRow({ run }: { readonly run: RunSummary }) {
  const tone = run.stage in tones ? tones[run.stage as keyof typeof tones] : "info";
  return (
    <li className="flex items-center gap-2.5 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{shownLine(run.goal)}</p>
        <p className="flex items-center gap-2 text-sm text-muted">
          <Badge tone={tone}>{run.stage}</Badge>
          <span>
            begun <RelativeTime at={run.startedAt} /> ago
          </span>
          <span className="tabular-nums">${(run.microDollars / 1e6).toFixed(2)}</span>
          <span className="font-mono text-xs text-faint">{run.id.slice(0, 8)}</span>
        </p>
      </div>
      <IconButton label="Export…" icon={<Download size={15} />} onClick={() => void exportRun(run.id)} />
      <Button size="sm" onClick={() => void replayRun(run.id)}>
        <Play size={13} aria-hidden /> Replay
      </Button>
    </li>
  );
}

async function openFile(file: File): Promise<void> {
  if (file.size > mostUploadedBytes) {
    notify(
      "error",
      `${file.name} is too large to be opened here.`,
      `Watch it in a terminal: hox replay ${file.name}`,
    );
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let signs = "";
  for (const byte of bytes) signs += String.fromCharCode(byte);
  const content = btoa(signs);
  if (await beginReplay(() => client.replay.openFile({ name: file.name, content }))) closeDialog();
}
