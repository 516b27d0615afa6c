import type { HookEvent, HookResult } from "#shared/domain/conversation/conversation.ts";
import { priorityOf } from "#shared/run/state.ts";
import { type PostToolsHook, runHooks, userHooks as toolHooks } from "../../../../agent/user-hooks.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { environmentOf } from "../../../workspaces/port-leases.ts";

/**
 * The user's hooks for one worker, from the current configuration. Failures are reported; nothing waits for
 * hooks. (PLAN-3)
 */
export async function hooksOf(run: RunReader, worker: string): Promise<readonly PostToolsHook[]> {
  const { hooks, protectedFiles } = run.config;
  if (hooks.length === 0) return [];
  const { changeId, parent, phase } = run.worker(worker).record;
  const priority = priorityOf(run.facts, worker);
  return toolHooks({
    hooks,
    protectedFiles,
    environment: {
      ...environmentOf(run, worker),
      HOX_RUN: run.id,
      HOX_PHASE: String(phase),
      ...(parent === null ? {} : { HOX_ORCHESTRATOR: parent }),
      ...(priority === null ? {} : { HOX_PRIORITY: priority }),
      ...(changeId === null ? {} : { HOX_CHANGE_ID: changeId }),
    },
  });
}

/** All in the conversation; what fails also as a notice, once until it succeeds again. */
export function notifyHookResults(run: Run, worker: string, results: readonly HookResult[]): void {
  if (results.length === 0) return;
  run.appendTranscript(worker, { kind: "hooks", results });
  for (const { name, on, success, message } of results) {
    const key = `hook/${worker}/${on}/${name}/`;
    if (success) run.once.forget(key);
    if (success || !run.once.isFirst(key)) continue;
    warn(
      run,
      `The hook "${name}" failed for ${worker}: ${message.split("\n")[0]}`,
      "The work continues. See its output in the conversation, or change the hook in [[hooks]] of .hox/config.toml.",
    );
  }
}

/**
 * Runs the hooks for a complete run, in a folder with exactly the files of the result, which is deleted
 * afterwards: changes in it could not be judged. Interrupted hooks run again at the next start, so each runs
 * at least once; HOX_RUN identifies the run.
 *
 * @param signal aborts when the app closes
 */
async function hooksAfterRun(run: Run, signal: AbortSignal): Promise<void> {
  const { judged: commit, landed } = run.facts.landing;
  if (commit === null || !run.facts.hasPendingHooks) return;
  const results = await hooksOnFiles(run, "run-complete", commit, signal, async () =>
    toolHooks({
      hooks: run.config.hooks,
      protectedFiles: run.config.protectedFiles,
      environment: {
        HOX_WORKER: "hox",
        HOX_ORCHESTRATOR: rootOf(run),
        HOX_RUN: run.id,
        HOX_CHANGE_ID: landed?.changeId ?? commit,
      },
    }),
  );
  if (signal.aborted) return;
  if (results.length > 0) notifyHookResults(run, "hox", results);
  run.append({ kind: "HooksRun" });
}

/**
 * What follows finished work when it is merged, in a folder with exactly its files. Runs at least once: again where the
 * host ended, or the run was paused, before all was done.
 */
export async function hooksAfterMerge(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const { changeId } = run.worker(worker).record;
  if (changeId === null || !run.config.hooks.some(({ on }) => on === "task-merged")) return;
  const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
  const { commitId } = await readChange(run, changeId);
  const results = await hooksOnFiles(run, "task-merged", commitId, cancelled, () => hooksOf(run, worker));
  if (cancelled.aborted) throw new Interrupted();
  notifyHookResults(run, worker, results);
}

/** Runs what follows something that is over, where it can change nothing. */
async function hooksOnFiles(
  run: Run,
  on: HookEvent,
  commit: string,
  signal: AbortSignal,
  hooks: () => Promise<readonly PostToolsHook[]>,
): Promise<readonly HookResult[]> {
  if (!run.config.hooks.some((hook) => hook.on === on)) return [];
  const places = await run.workspaces.checkouts(commit, { signal });
  try {
    const { run: inCheckout } = await places.checkout();
    return await runHooks(await hooks(), on, { run: inCheckout, iteration: 0, signal });
  } finally {
    await places.remove();
  }
}

/** What a user runs after an agent's turns, after merged work and after a run. */
export const userHooks: Feature<Run> = {
  name: "user-hooks",
  atRunEnd: hooksAfterRun,
};
