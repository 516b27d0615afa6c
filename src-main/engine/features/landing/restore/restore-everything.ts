/**
 * Takes the whole repository back to a moment. The one jj operation is what decides: before it nothing has happened, after it
 * everything has. What a run says of it is written before and settled afterwards, by whoever opens the journal next where
 * the process ended in between. (docs/decisions/0045)
 */
import type { CommandInput } from "#shared/contract/commands.ts";
import type { Restored } from "#shared/contract/views/restore.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Run, RunGraph, RunReader, RunWriter } from "../../../ports.ts";
import { notifyTakenOver } from "../../../workspaces/notify-taken-over.ts";
import { previewRestore, type RestoreScope } from "./preview-restore.ts";

const operationsRead = 2_000;

/** @throws EngineRefusal while a run goes on unpaused, or when the repository is another one than the person looked at */
export async function restoreEverything(
  scope: RestoreScope,
  { operation, head }: CommandInput<"operation.restore">,
): Promise<Restored> {
  const going = scope.allGoing();
  const { written, touched } = await withoutAgents(going, async () => {
    const preview = await previewRestore(scope, operation);
    if (preview.refusal) throw new EngineRefusal(preview.refusal.reason, preview.refusal.remedy);
    if (!preview.head.startsWith(head))
      throw new EngineRefusal(
        "The repository has changed since the preview.",
        "Check the new preview, then restore again.",
      );
    const ends = new Set(preview.runs.flatMap(({ id, becomes }) => (becomes === "ends" ? [id] : [])));
    const ending = going.filter(({ id }) => ends.has(id));
    const request = scope.newId();
    const { at } = preview.moment;
    for (const run of ending)
      run.append({ kind: "RestoreBegun", request, operation: preview.moment.operation, at });
    const asked = { operation: preview.moment.operation, since: preview.head, request, actor: "hox" };
    const restoring = scope.landings.during(() => scope.repository.restoreEverything(asked));
    const done = await restoring.catch(async (error: unknown) => {
      for (const run of ending) await settleRestoring(run);
      throw error;
    });
    for (const run of ending) run.dispatch({ kind: "Stop", by: "restore" });
    for (const run of going) await followWorkspaces(run);
    return { written: done, touched: ending };
  });
  for (const run of touched) await scope.finish(run);
  for (const run of scope.allGoing()) await run.refreshChanges();
  scope.flush();
  return { operation: written.operation, ended: touched.map(({ id }) => id) };
}

/** While nobody of these runs is inside a turn. */
const withoutAgents = <T>(runs: readonly Run[], work: () => Promise<T>): Promise<T> =>
  runs.reduce<() => Promise<T>>(
    (inner, run) => () => run.lock.withAllExclusive(inner, "the repository is being restored"),
    work,
  )();

/**
 * Agents' files become what the moment had of them: all that was there is recorded. A folder that the moment did not know
 * stays as it is, for whoever takes this back; a workspace whose folder is gone since is none.
 */
async function followWorkspaces(run: Run): Promise<void> {
  const { workspaces } = await run.repository.refs();
  for (const worker of run.workers.keys()) {
    if (workspaces[worker] === undefined) continue;
    await run.workspaces.of(worker)?.updateStale({ actor: worker });
    await run.workspaces.forgetGone(worker);
  }
  notifyTakenOver(run, () => true, "The repository was restored to an earlier point.");
}

/** Whether it was done stands in jj's operation log. Where it was, the run ended by it; where not, nothing happened. */
export async function settleRestoring(
  run: Pick<RunReader, "facts"> & Pick<RunWriter, "append" | "dispatch"> & Pick<RunGraph, "repository">,
): Promise<void> {
  const { restoring } = run.facts;
  if (restoring === null) return;
  const operations = await run.repository.operations({ limit: operationsRead });
  if (operations.some(({ request }) => request === restoring.request))
    run.dispatch({ kind: "Stop", by: "restore" });
  else run.append({ kind: "RestoreDropped" });
}
