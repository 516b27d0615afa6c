/** A phase that does not hold is worked on again, on top of all that is done. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { phaseKey } from "#shared/domain/validation/phase-checks.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { addressOf, sendMessage } from "../../orchestrators/messages.ts";
import { reopen } from "../../orchestrators/reopen.ts";
import type { Run } from "../../ports.ts";
import { integratorOf } from "../../workers/hierarchy.ts";
import { type Phase, saidOfRepair, standing } from "./ask-about-phase.ts";
import type { Ground } from "./phase-ground.ts";

/** Safe to repeat. */
export async function sendBack(
  run: Run,
  of: Phase,
  { worker, changeId, onto, conflicts }: Ground,
  /** `words` are a person's; null: by one of the rounds. */
  { view, words }: { readonly view: ValidationView; readonly words: string | null },
  signal: AbortSignal,
): Promise<void> {
  const { orchestrator, phase } = of;
  const { checks, verdict } = view;
  const failing =
    conflicts.length > 0
      ? [`${conflicts.join(", ")} in conflict`]
      : checks.filter(isBlocking).map(({ name, outcome }) => `${name} ${outcome}`);
  if (onto.length > 0) {
    await run.lock.withExclusive(worker, async () => {
      await run.repository.rebase({ source: changeId, onto, actor: orchestrator });
      for (const name of [worker, integratorOf(worker)].filter((one) => run.workers.has(one)))
        await run.workspaces.of(name)?.updateStale({ actor: name });
    });
    await run.refreshChanges();
  }
  if (signal.aborted) return;
  const what =
    conflicts.length > 0
      ? `Phase ${phase} does not hold: what was merged meets in conflict in ${conflicts.join(", ")}. Your change stands on all of it now. Settle it so that the work of all is kept.`
      : `Phase ${phase} does not hold: with all that was merged, ${failing.join(", ")} in a fresh checkout. Your change stands on all of it now. Repair what the checks say, whoever wrote it.`;
  const text = [what, ...(words === null || words === "" ? [] : [`The user says: ${words}`])].join("\n");
  await sendMessage(run, {
    key: `phase/${phaseKey(orchestrator, phase)}/${standing(run, of).failed}`,
    from: orchestrator,
    to: addressOf(run, worker),
    type: "info",
    text,
  });
  const isPart = roles[run.worker(worker).record.role].isLead;
  run.journal.together(() => {
    run.append(
      {
        ...{ kind: "PhaseSentBack", orchestrator, phase, checks, worker, verdict },
        by: words === null ? "rule" : "person",
        reasons: failing,
        words: words ?? "",
        repaired: saidOfRepair(run, of),
      },
      ...(conflicts.length > 0 ? [] : [{ kind: "ChecksRun" as const, worker, checks }]),
    );
    // Of a part, whoever brings it together.
    if (isPart) {
      run.dispatch({ kind: "ValidationFailed", reasons: [text] }, worker);
      run.append({ kind: "WorkReset", worker: integratorOf(worker) });
    }
    reopen(run, worker);
    run.append({ kind: "WorkReopened", worker });
  });
}
