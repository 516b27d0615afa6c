/**
 * What a phase came to has to pass the checks, all of it together, before the next one builds on it: else whoever was
 * merged last works on it again, and after the repair rounds a person decides. Where `validation.phases` asks for it.
 * (HOX-7.2)
 */

import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import {
  isPersonAsked,
  noPhaseChecks,
  type PhaseChecks,
  phaseKey,
} from "#shared/domain/validation/phase-checks.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { Interrupted } from "../../engine-errors.ts";
import { addressOf, sendMessage } from "../../orchestrators/messages.ts";
import { reopen } from "../../orchestrators/reopen.ts";
import type { Run, RunReader } from "../../ports.ts";
import { integratorOf, rootOf, workerOnTask } from "../../workers/hierarchy.ts";
import { checkFresh } from "../../workspaces/checks-in-checkout.ts";

interface Phase {
  readonly orchestrator: string;
  readonly phase: number;
}

/** All that is done so far, on top of whoever was merged last. */
interface Ground {
  readonly worker: string;
  readonly changeId: string;
  /** Where its change has to stand to stand on everybody's; empty where it does. */
  readonly onto: readonly string[];
  readonly commitId: string;
}

const standing = (run: RunReader, { orchestrator, phase }: Phase): PhaseChecks =>
  run.facts.phaseChecks[phaseKey(orchestrator, phase)] ?? noPhaseChecks;

/** @returns whether the next phase may begin; where not, this one is worked on again, or the run is over */
export async function phaseHolds(run: Run, of: Phase, signal: AbortSignal): Promise<boolean> {
  if (run.config.validation.phases === "off" || of.phase === 0) return true;
  if (standing(run, of).accepted !== null) return true;
  const ground = await groundOf(run, of.orchestrator);
  if (ground === null) return true;
  const checks = await checkFresh(run, ground.worker, ground.commitId, signal);
  if (!checks.some(isBlocking)) return true;
  if (!isPersonAsked(standing(run, of), run.config.validation.repairRounds)) {
    await sendBack(run, of, ground, checks, null, signal);
    return false;
  }
  return askPerson(run, of, ground, checks, signal);
}

/** Null where nothing is done, or where the work meets in conflict: the integration brings that together. */
async function groundOf(run: Run, orchestrator: string): Promise<Ground | null> {
  await run.refreshChanges();
  const done = run
    .stateOf(orchestrator)
    .tasks.filter(({ state }) => state === "done")
    .flatMap(({ task }) => workerOnTask(run, orchestrator, task)?.changeId ?? []);
  if (done.length === 0) return null;
  const heads = await run.repository.headsOf(done);
  const trunk = run.orchestratorFacts(orchestrator).trunk;
  const last = heads.toSorted((a, b) => trunk.indexOf(b.changeId) - trunk.indexOf(a.changeId))[0];
  const worker = [...run.workers.values()].find(({ record }) => record.changeId === last?.changeId)?.record;
  if (last === undefined || worker === undefined) return null;
  const others = heads.filter(({ changeId }) => changeId !== last.changeId);
  const ids = heads.map(({ changeId }) => changeId);
  if (heads.some(({ conflict }) => conflict) || (await run.repository.trialMerge(ids)).length > 0)
    return null;
  if (others.length === 0)
    return { worker: worker.name, changeId: last.changeId, onto: [], commitId: last.commitId };
  const { commitIds } = await run.repository.hiddenCommits(
    [{ merges: ids, description: `What ${orchestrator} has until now`, files: {} }],
    { actor: orchestrator },
  );
  const below = await run.repository.parentsOf(last.changeId);
  const onto = await run.repository.headsOf([
    ...below.map(({ commitId }) => commitId),
    ...others.map(({ changeId }) => changeId),
  ]);
  return {
    worker: worker.name,
    changeId: last.changeId,
    onto: onto.map(({ changeId }) => changeId),
    commitId: commitIds[0] ?? "",
  };
}

/** @param words a person's; null: by one of the rounds. Safe to repeat */
async function sendBack(
  run: Run,
  of: Phase,
  { worker, changeId, onto }: Ground,
  checks: readonly CheckResult[],
  words: string | null,
  signal: AbortSignal,
): Promise<void> {
  const failing = checks.filter(isBlocking);
  const { orchestrator, phase } = of;
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
    `Phase ${phase} does not hold: with all that was merged, ${failing.map(({ name, outcome }) => `${name} ${outcome}`).join(", ")} in a fresh checkout. Your change stands on all of it now. Repair what the checks say, whoever wrote it.`,
    ...(words === null || words === "" ? [] : [`The user says: ${words}`]),
  ].join("\n");
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
      { kind: "PhaseSentBack", orchestrator, phase, checks, by: words === null ? "rule" : "person" },
      { kind: "ChecksRun", worker, checks },
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

async function askPerson(
  run: Run,
  of: Phase,
  ground: Ground,
  checks: readonly CheckResult[],
  signal: AbortSignal,
): Promise<boolean> {
  const { orchestrator, phase } = of;
  const { failed } = standing(run, of);
  const decision = await run.inbox.ask<"votes">(
    `${run.id}/phase/${phaseKey(orchestrator, phase)}/${failed}`,
    () => ({
      kind: "votes",
      validation: {
        ...{ commitId: ground.commitId, attempt: failed + 1, seats: [], quorum: 0, tolerated: 0 },
        ...{ verdict: "vetoed", checks },
      },
      phase: { orchestrator, number: phase },
      changeId: ground.changeId,
      repairRounds: run.config.validation.repairRounds,
      microDollars: run.spending.total.microDollars,
    }),
    AbortSignal.any([signal, run.runEnded.signal]),
  );
  switch (decision.kind) {
    case "land":
      run.append({ kind: "PhaseAccepted", orchestrator, phase, reason: decision.reason });
      return true;
    case "repair":
      await sendBack(run, of, ground, checks, decision.words ?? "", signal);
      return false;
    case "stop":
      run.dispatch({
        kind: "ResultRejected",
        reason: `The checks failed after phase ${phase}${orchestrator === rootOf(run) ? "" : ` of ${orchestrator}`}: ${checks
          .filter(isBlocking)
          .map(({ name, outcome }) => `${name} ${outcome}`)
          .join(", ")}`,
      });
      return false;
    // Taken back: it is looked at anew.
    default:
      throw new Interrupted();
  }
}
