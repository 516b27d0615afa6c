/** Makes a fresh workspace one in which the project's checks can run: caches, then the repository's own commands. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config-interface.ts";
import { findTool } from "../../config/tools.ts";
import { canLayer } from "../../tools/sandbox/layers.ts";
import { environmentOf } from "../agents/talking.ts";
import type { Run } from "../run/run.ts";
import { readChange } from "../run/run-changes.ts";
import { sharedCopiesFolder } from "./shared-copies.ts";
import { showGit } from "./show-git.ts";
import { copyCaches } from "./workspace-caches.ts";

/**
 * Sets a worker's workspace up, once for each time that it is made: also when the process ended in the middle of it, and
 * not again after a restart.
 */
export async function setUpOnce(
  run: Run,
  worker: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const { ino, birthtimeMs } = await stat(join(folder, ".jj"));
  const made = `${ino} ${birthtimeMs}`;
  const fact = `set-up/${worker}`;
  if (run.journal.fact<string>(run.id, fact) === made) return;
  const { changeId } = run.worker(worker).record;
  if (changeId !== null) await showGit(run, folder, (await readChange(run, changeId)).commitId);
  await setUpWorkspace(run, worker, folder, signal);
  run.disk.look(worker);
  if (!signal.aborted && !run.ending.signal.aborted) run.journal.setFact(run.id, fact, made);
}

/**
 * The caches of `[workspace] caches` and the commands of `[workspace] setup`, in a folder that has neither. What fails is
 * told and stops nothing: the checks will say what is missing, and the agent may know a way.
 */
export async function setUpWorkspace(
  run: Run,
  worker: string,
  folder: string,
  wanted: AbortSignal,
): Promise<void> {
  const { caches, setup, setupTimeoutSeconds } = run.config.workspace;
  const signal = AbortSignal.any([wanted, run.ending.signal]);
  try {
    await copyCaches({
      root: run.repository.root,
      workspace: folder,
      caches,
      signal,
      shared: (await canShareCopies(run, folder)) ? sharedCopiesFolder(run.stateFolder) : null,
      show: (name) => run.show(worker, "tools", `setting up: copies ${name}`),
    });
  } catch (error) {
    if (!signal.aborted)
      tell(run, worker, "Caches could not be copied", error instanceof Error ? error.message : String(error));
  }
  if (setup.length === 0) return;
  const sandbox = await run.sandbox();
  for (const [index, command] of setup.entries()) {
    if (signal.aborted) return;
    run.show(worker, "tools", `setting up, ${index + 1} of ${setup.length}: ${command}`);
    const result = await sandbox.run({
      command,
      workspace: folder,
      environment: environmentOf(run, worker),
      protectedFiles: run.config.protectedFiles,
      timeoutMs: setupTimeoutSeconds * 1000,
      signal,
    });
    if (result.outcome === "cancelled" || (result.outcome === "exited" && result.exitCode === 0)) continue;
    const why =
      result.outcome === "timed-out"
        ? `It took longer than ${setupTimeoutSeconds} s.`
        : result.outcome === "missing"
          ? "Its program was not found."
          : `It ended with exit code ${result.exitCode}.`;
    tell(run, worker, `Set-up command failed: ${command}`, `${why}\n${result.output}`);
  }
}

/** Whether commands here can be given a layer above a folder that they share. */
async function canShareCopies(run: Run, folder: string): Promise<boolean> {
  const tool = findTool("sandbox");
  const { isolation } = await run.sandbox();
  return isolation.kind === "bubblewrap" && tool.found && canLayer(dirname(folder), tool.path);
}

/** Causes that a person was told of, by the settings that they come from: every agent and every checkout meets them. */
const told = new WeakMap<Config, Set<string>>();

/** In each conversation, and as a notice once for each cause until the settings change. */
function tell(run: Run, worker: string, what: string, detail: string): void {
  run.record(worker, { kind: "notice", text: `${what}\n${detail}` });
  const [reason] = detail.split("\n");
  const causes = told.get(run.config) ?? new Set();
  told.set(run.config, causes);
  const cause = `${what} ${reason}`;
  if (causes.has(cause)) return;
  causes.add(cause);
  run.emit({
    kind: "notice",
    level: "warning",
    text: `${what} (${worker}): ${reason}`,
    remedy:
      "The work goes on without it, also where others meet the same. Its output stands in the conversation; correct [workspace] of .hox/config.toml.",
  });
}
