import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import type { RunReader, RunScreen } from "../ports.ts";

/**
 * Moves a worker's folder out of the way when jj knows no workspace there any more although it was one: somebody forgot
 * it by hand, and what jj has not recorded is nowhere else. Does nothing where no folder is.
 */
export async function quarantine(run: RunReader & RunScreen, worker: string, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const kept = `${folder} kept ${new Date(run.now()).toISOString().replaceAll(":", "-")}`;
  await rename(folder, kept);
  run.emit({
    kind: "notice",
    level: "warning",
    text: `jj knows the workspace of ${worker} no more, so its folder was kept as ${kept}.`,
    remedy: "Take out of it what you need, then delete it.",
  });
}
