import { HardDrive } from "lucide-react";
import type { RunView } from "#shared/contract/views/run.ts";
import { formatBytes } from "#shared/domain/text/bytes.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { attempt, notify } from "../../state/notice-store.ts";

/** How many workspaces the run has and what they take on disk; when it is over, the way to remove them. */
export function WorkspacesLine({ run }: { readonly run: RunView }) {
  const workers = run.workers.filter((worker) => worker.workspace !== null);
  if (workers.length === 0) return null;
  const counted = workers.flatMap((worker) => worker.diskBytes ?? []);
  const bytes = counted.reduce((sum, one) => sum + one, 0);
  return (
    <section aria-label="Workspaces" className="flex min-h-7 items-center gap-2 text-sm text-muted">
      <HardDrive size={13} className="shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1 tabular-nums">
        {workers.length} {workers.length === 1 ? "workspace" : "workspaces"}
        {counted.length > 0 && ` · ${formatBytes(bytes)}`}
      </span>
      {run.endedAt !== null && (
        <Button size="sm" onClick={() => void remove()}>
          Remove
        </Button>
      )}
    </section>
  );
}

async function remove(): Promise<void> {
  const yes = await confirm({
    title: "Remove the workspaces of ended runs?",
    body: "Their work is kept in their changes. Workspaces with files that jj does not track are kept.",
    action: "Remove the workspaces",
  });
  if (!yes) return;
  await attempt("The workspaces were not removed", async () => {
    const { kept } = await client.run.cleanUp();
    const [first] = kept;
    if (first)
      notify(
        "warning",
        `${kept.length} ${kept.length === 1 ? "workspace was kept" : "workspaces were kept"}: ${first.reason}`,
        first.remedy,
      );
  });
}
