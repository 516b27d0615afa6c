import { existsSync, readdirSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import { JjError } from "../../jj/process/errors.ts";
import { makeHome, removeWorkspaceData } from "../../tools/sandbox/workspace-home.ts";
import { Interrupted } from "../engine-errors.ts";
import { bestEffort } from "../kernel/best-effort.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";
import { notifyLost } from "./concurrent-writes.ts";
import { packagesFolder } from "./installed-packages.ts";
import { leasePorts } from "./port-leases.ts";
import { bringTo, save } from "./save-workspace.ts";
import { removeUnusedCopies } from "./shared-copies.ts";

/** Outside the repository, one folder per run and worker. */
export const workspaceFolder = (run: Run, worker: string): string =>
  join(run.stateFolder, "workspaces", run.id, worker.replaceAll("/", "_"));

/** A worker's workspace as a handle, or null while it has none. */
export function workspaceOf(run: Run, worker: string): Workspace | null {
  const { folder } = run.worker(worker).record;
  return folder === null || !existsSync(join(folder, ".jj"))
    ? null
    : run.repository.workspace(worker, folder);
}

/**
 * The worker's own working copy of its change: an existing one is updated, a missing one created. A workspace
 * of the same name from an earlier run is saved and removed first.
 */
export async function ensureWorkspace(run: Run, worker: string, change: string): Promise<Workspace> {
  const folder = workspaceFolder(run, worker);
  const known = workspaceOf(run, worker);
  const refs = await run.repository.refs();
  // Making one takes longest of all that an agent begins with, and the next start makes it as well.
  if (run.runEnded.signal.aborted) throw new Interrupted();
  if (known && refs.workspaces[worker] !== undefined) {
    await bringTo(run, known, change);
    await makeHome(folder);
    if (run.worker(worker).record.ports === undefined) await givePorts(run, worker, folder);
    return known;
  }
  if (run.worker(worker).record.folder === folder) {
    // Its earlier report of being done would count, but the files are gone.
    closeConversation(run, worker);
    // Before jj removes it: jj would look for a repository in the leftovers.
    if (existsSync(folder)) await quarantine(run, worker, folder);
    else notifyLost(run, worker, folder);
  }
  if (refs.workspaces[worker] !== undefined)
    await run.repository.removeWorkspace(
      run.repository.workspace(worker, earlierFolder(run, worker) ?? folder),
      {
        actor: "hox",
      },
    );
  // A folder that jj does not know is a workspace that was forgotten by hand or whose creation was
  // interrupted.
  if (existsSync(join(folder, ".jj"))) await quarantine(run, worker, folder);
  else await removeTree(folder);
  await removeWorkspaceData(folder);
  run.gitViews.forget(folder);
  await mkdir(dirname(folder), { recursive: true });
  // The app may have started to close meanwhile.
  if (run.runEnded.signal.aborted) throw new Interrupted();
  const { workspace } = await run.repository.addWorkspace({
    name: worker,
    folder,
    change,
    edit: true,
    actor: worker,
  });
  await makeHome(folder);
  run.append({ kind: "WorkspaceOpened", worker, folder });
  await givePorts(run, worker, folder);
  return workspace;
}

const portsPerAgent = 10;

/** Best effort: an agent without its own ports still works, and its prompt says why servers may clash. */
async function givePorts(run: Run, worker: string, folder: string): Promise<void> {
  const { firstPort: first } = run.config.workspace;
  try {
    const ports = await leasePorts(join(run.sharedFolder, "ports.sqlite"), folder, {
      first,
      count: portsPerAgent,
    });
    run.append({ kind: "PortsLeased", worker, ports });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    run.appendTranscript(worker, { kind: "notice", text: `It has no reserved ports: ${reason}` });
  }
}

/** Where an earlier run kept a workspace of that name, also one that the journal has forgotten. */
function earlierFolder(run: Run, worker: string): string | null {
  const all = join(run.stateFolder, "workspaces");
  const known = run.journal.runs().map(({ id }) => id);
  return (
    [...known, ...(existsSync(all) ? readdirSync(all) : [])]
      .map((id) => join(all, id, worker.replaceAll("/", "_")))
      .find((folder) => existsSync(join(folder, ".jj"))) ?? null
  );
}

/**
 * Records the files of every workspace of the run, or of those that are meant, in their changes. One that cannot be saved
 * keeps none of the others from it. @throws what failed first, when all were tried
 */
export async function saveAll(run: Run, meant: (worker: string) => boolean = () => true): Promise<void> {
  const failures: unknown[] = [];
  for (const worker of run.workers.keys()) {
    const workspace = meant(worker) ? workspaceOf(run, worker) : null;
    if (!workspace) continue;
    try {
      await save(workspace);
    } catch (error) {
      // A forgotten workspace cannot be saved: its folder is kept when it is recreated.
      if (!(error instanceof JjError) || error.kind !== "no-such-workspace") failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Deletes the workspaces of a run that is over; their work is in their changes. One that cannot be deleted is
 * kept.
 */
export async function removeAll(run: Run): Promise<void> {
  // At the same time: jj forgets them in one process.
  const removals = [...run.workers.keys()].map(async (worker) => {
    const workspace = workspaceOf(run, worker);
    if (!workspace) return;
    await bestEffort(run, `The workspace of ${worker} could not be removed`, async () => {
      const refs = await run.repository.refs();
      if (refs.workspaces[worker] !== undefined)
        await run.repository.removeWorkspace(workspace, { actor: "hox" });
      else if (existsSync(join(workspace.folder, ".jj"))) await quarantine(run, worker, workspace.folder);
      // Recorded and forgotten: only the rest of its files is left.
      else await removeTree(workspace.folder);
      await removeWorkspaceData(workspace.folder);
      run.append({ kind: "WorkspaceRemoved", worker });
    });
  });
  await Promise.all(removals);
  await bestEffort(run, "Packages installed for the run could not be removed", () =>
    removeTree(packagesFolder(run.stateFolder, run.id)),
  );
  await removeUnusedCopies(run.stateFolder);
}

/**
 * Moves a worker's folder aside when jj does not know its workspace any more: it was forgotten by hand, and
 * unrecorded edits exist only there. Does nothing without a folder, and removes one without files.
 */
async function quarantine(run: Run, worker: string, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  if (readdirSync(folder).every((name) => name === ".jj")) return removeTree(folder);
  const kept = `${folder} kept ${new Date(run.now()).toISOString().replaceAll(":", "-")}`;
  await rename(folder, kept);
  warn(
    run,
    `jj no longer knows the workspace of ${worker}. Its folder was kept as ${kept}.`,
    "Copy what you need, then delete it.",
  );
}
