/** A phase that does not hold is worked on again, on top of all that is done. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/known-failures.ts";
import { phaseKey } from "#shared/domain/validation/phase-checks.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { explainVerdict } from "../../../../validation/validate.ts";
import { addressOf, sendMessage } from "../../../orchestrators/messages.ts";
import { reopen } from "../../../orchestrators/reopen.ts";
import type { Run } from "../../../ports.ts";
import { integratorOf } from "../../../workers/hierarchy.ts";
import { checksOfPhase, type Phase, repairSummary } from "../../../workers/phase-rounds.ts";
import type { PhaseWork } from "./phase-ground.ts";

/** Safe to repeat. */
export async function sendBack(
  run: Run,
  of: Phase,
  { worker, changeId, onto, conflicts }: PhaseWork,
  /** `words` are a person's; null: by one of the rounds. */
  { view, words }: { readonly view: ValidationView; readonly words: string | null },
  signal: AbortSignal,
): Promise<void> {
  const { orchestrator, phase } = of;
  const { checks, verdict } = view;
  const failing = conflicts.length > 0 ? [`${conflicts.join(", ")} in conflict`] : whatFailed(view);
  if (onto.length > 0) {
    await run.lock.withExclusive(worker, async () => {
      await run.repository.rebase({ source: changeId, onto, actor: orchestrator });
      for (const name of [worker, integratorOf(worker)].filter((one) => run.workers.has(one)))
        await run.workspaces.of(name)?.updateStale({ actor: name });
    });
    await run.refreshChanges();
  }
  if (signal.aborted) return;
  const text = [
    `Phase ${phase} does not hold: ${whatIsWrong(view, conflicts)}`,
    ...(words === null || words === "" ? [] : [`The user says: ${words}`]),
  ].join("\n");
  await sendMessage(run, {
    key: `phase/${phaseKey(orchestrator, phase)}/${checksOfPhase(run, of).failed}`,
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
        repaired: repairSummary(run, of),
      },
      ...(verdict !== "vetoed" || conflicts.length > 0
        ? []
        : [{ kind: "ChecksRun" as const, worker, checks }]),
    );
    // Of a part, whoever brings it together.
    if (isPart) {
      run.dispatch({ kind: "ValidationFailed", reasons: [text] }, worker);
      run.append({ kind: "WorkReset", worker: integratorOf(worker) });
    }
    reopen(run, worker);
    run.append({ kind: "WorkReopened", worker });
  });
  if (words === null)
    run.emit({
      kind: "notice",
      level: "info",
      text: `Phase ${phase} of ${orchestrator} was sent back to ${worker}: ${failing.join("; ")}`,
      remedy: null,
    });
}

/** What is wrong with a phase, in a few words each: its checks, or what each seat says. */
export const whatFailed = (view: ValidationView): readonly string[] =>
  view.verdict === "vetoed"
    ? view.checks.filter(isBlocking).map(({ name, outcome }) => `${name} ${outcomeText[outcome]}`)
    : explainVerdict(view)
        .split(/\n{2,}/u)
        .map((reason) => reason.trim())
        .filter((reason) => reason !== "");

function whatIsWrong(view: ValidationView, conflicts: readonly string[]): string {
  if (conflicts.length > 0)
    return `the merged work has conflicts in ${conflicts.join(", ")}. Your change is now on top of all of it. Resolve them so that all work is kept.`;
  if (view.verdict === "vetoed")
    return `with all that was merged, ${whatFailed(view).join(", ")} in a fresh checkout. Your change is now on top of all of it. Repair what the checks report, also in the work of other agents.`;
  return [
    "the validators of the merged work did not approve it. Your change is now on top of all of it. Repair what they name, also in the work of other agents.",
    ...whatFailed(view).map((reason) => `- ${reason}`),
  ].join("\n");
}
