import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

/**
 * Moves a worker's folder aside when jj does not know its workspace any more: it was forgotten by hand, and
 * unrecorded edits exist only there. Does nothing without a folder.
 */
export async function quarantine(run: Run, worker: string, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const kept = `${folder} kept ${new Date(run.now()).toISOString().replaceAll(":", "-")}`;
  await rename(folder, kept);
  warn(
    run,
    `jj no longer knows the workspace of ${worker}. Its folder was kept as ${kept}.`,
    "Copy what you need, then delete it.",
  );
}
