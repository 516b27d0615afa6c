/** The user's own hooks in a run, and how their failures are told: they are extras, and nothing waits for them. (PLAN-3) */
import type { HookResult } from "#shared/domain/conversation.ts";
import { type PostToolsHook, runHooks } from "../../agent/post-tools-hooks.ts";
import { userHooks } from "../../agent/user-hooks.ts";
import type { Run } from "../run/run.ts";
import { freshCheckouts } from "../workspaces/checkout.ts";
import { environmentOf } from "./talking.ts";

/** The hooks of one worker, as the file says now. */
export async function hooksOf(run: Run, worker: string): Promise<readonly PostToolsHook[]> {
  const { hooks, protectedFiles } = run.config;
  if (hooks.length === 0) return [];
  const { changeId, parent, phase, priority } = run.worker(worker).record;
  return userHooks({
    hooks,
    protectedFiles,
    sandbox: await run.sandbox(),
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

/** Failures that a person has been told of; one that fails in every iteration is told once until it succeeds again. */
const told = new WeakMap<Run, Set<string>>();

/** All in the conversation; what fails also as a notice. */
export function tellHooks(run: Run, worker: string, results: readonly HookResult[]): void {
  run.record(worker, { kind: "hooks", results });
  const known = told.get(run) ?? new Set();
  told.set(run, known);
  for (const { name, on, success, message } of results) {
    const key = `${worker} ${on} ${name}`;
    if (success) known.delete(key);
    if (success || known.has(key)) continue;
    known.add(key);
    run.emit({
      kind: "notice",
      level: "warning",
      text: `The hook "${name}" failed for ${worker}: ${message.split("\n")[0]}`,
      remedy:
        "The work goes on. Its output stands in the conversation; it is set in [[hooks]] of .hox/config.toml.",
    });
  }
}

/**
 * What follows a complete run, in a folder with exactly the files of the result. The folder goes afterwards: there is
 * nobody left who could judge what would be changed in it.
 *
 * @param signal aborts when the app closes; what has not run by then does not run later
 */
export async function hooksAfterRun(run: Run, signal: AbortSignal): Promise<void> {
  const commit = run.journal.fact<string>(run.id, "validated-commit");
  if (commit === undefined || !run.config.hooks.some(({ on }) => on === "run-complete")) return;
  const places = await freshCheckouts(run, commit, { signal });
  try {
    const { folder } = await places.checkout();
    const hooks = userHooks({
      hooks: run.config.hooks,
      protectedFiles: run.config.protectedFiles,
      sandbox: await run.sandbox(),
      environment: {
        HOX_WORKER: "hox",
        HOX_RUN: run.id,
        HOX_CHANGE_ID: run.facts.landed?.changeId ?? commit,
      },
    });
    const results = await runHooks(hooks, "run-complete", { workspace: folder, iteration: 0, signal });
    if (results.length > 0) tellHooks(run, "hox", results);
  } finally {
    await places.remove();
  }
}
