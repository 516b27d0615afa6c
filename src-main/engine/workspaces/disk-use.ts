/** Disk use of each workspace: measured in the background, one folder at a time. */

import { type DiskCaps, type DiskState, diskState } from "#shared/domain/host/machine-state.ts";
import { formatBytes } from "#shared/domain/text/format-text.ts";
import { folderSize } from "../../tools/copy-folder.ts";
import { workspaceDataFolders } from "../../tools/sandbox/workspace-home.ts";
import { EngineRefusal } from "../engine-errors.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";
import type { DiskUse } from "./workspace-interface.ts";
import { workspaceOf } from "./workspaces.ts";

/** Measuring walks the whole folder, so results are cached this long. */
const freshForMs = 60_000;

export function createDiskUse(getRun: () => Run): DiskUse {
  const counted = new Map<
    string,
    { readonly folder: string; readonly at: number; readonly bytes: number | null }
  >();
  const waiting = new Set<string>();
  const closed = new AbortController();
  let counting = false;
  /** Caps that the user was notified of: by worker, or the total. */
  const reported = new Map<string, DiskState["kind"]>();

  const of = (worker: string): number | null => {
    const last = counted.get(worker);
    return last && last.folder === getRun().worker(worker).record.folder ? last.bytes : null;
  };
  const stateOf = (worker: string): DiskState => {
    const all = [...getRun().workers.keys()].reduce((sum, name) => sum + (of(name) ?? 0), 0);
    return diskState(capsOf(getRun()), { each: of(worker) ?? 0, all });
  };
  const countOne = async (worker: string): Promise<void> => {
    const run = getRun();
    const folder = workspaceOf(run, worker)?.folder;
    if (folder === undefined || closed.signal.aborted) return;
    const sizes = await Promise.all(
      [folder, ...workspaceDataFolders(folder)].map((one) => folderSize(one, closed.signal)),
    );
    const bytes = sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
    counted.set(worker, { folder, at: run.monotonic(), bytes });
    if (closed.signal.aborted) return;
    const state = stateOf(worker);
    tell(run, worker, state, reported);
    if (state.kind === "full" && state.of === "all") run.dispatch({ kind: "Pause" });
    run.changed();
  };

  const count = async (): Promise<void> => {
    if (counting) return;
    counting = true;
    try {
      for (const worker of waiting) {
        waiting.delete(worker);
        await countOne(worker);
      }
    } finally {
      counting = false;
    }
  };

  const use: DiskUse = {
    look(worker) {
      const run = getRun();
      const last = counted.get(worker);
      const { folder } = run.worker(worker).record;
      if (folder === null || (last?.folder === folder && run.monotonic() - last.at < freshForMs)) return;
      waiting.add(worker);
      void count();
    },
    close: () => closed.abort(),
    of,
    check(worker) {
      const { each, all } = capsOf(getRun());
      if (each === null && all === null) return null;
      use.look(worker);
      const state = stateOf(worker);
      return state.kind === "full" && state.of === "each"
        ? new EngineRefusal(
            `Its workspace uses ${formatBytes(state.bytes)}; workspace.max_gb_per_agent allows ${formatBytes(state.cap)}.`,
            `Delete files that are not needed from ${getRun().worker(worker).record.folder}, or raise the limit in .hox/config.toml. Hox deletes nothing automatically.`,
          )
        : null;
    },
    recount: countOne,
  };
  return use;
}

const gigabyte = 1e9;
const capsOf = ({ config: { workspace } }: Run): DiskCaps => ({
  each: workspace.maxGbPerAgent === null ? null : workspace.maxGbPerAgent * gigabyte,
  all: workspace.maxGb === null ? null : workspace.maxGb * gigabyte,
});

/** Once each time a cap is near or reached; a reached one pauses the agent, with a separate card. */
function tell(run: Run, worker: string, state: DiskState, reported: Map<string, DiskState["kind"]>): void {
  const key = state.kind !== "ok" && state.of === "all" ? "" : worker;
  if (reported.get(key) === state.kind) return;
  reported.set(key, state.kind);
  if (state.kind === "ok") {
    reported.delete("");
    return;
  }
  if (state.kind === "full" && state.of === "each") return;
  const whose = state.of === "each" ? `The workspace of ${worker} uses` : "The workspaces of this run use";
  const cap = state.of === "each" ? "max_gb_per_agent" : "max_gb";
  warn(
    run,
    `${whose} ${formatBytes(state.bytes)} of the ${formatBytes(state.cap)} that workspace.${cap} allows.`,
    state.kind === "full"
      ? "The run is paused. Free space or raise the limit in .hox/config.toml, then resume. Hox deletes nothing automatically."
      : "Free space or raise the limit in .hox/config.toml before it is reached. Hox deletes nothing automatically.",
  );
}
