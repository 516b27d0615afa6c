/**
 * Contracts and decisions of an orchestrator that came into conflict with what was put below them: a decision of
 * whoever stands above, a person's rewrite. Whoever wrote them corrects them, once for all who build on them. (HOX-4.4)
 */

import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { pathLines, prompt, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import type { Run } from "../../../ports.ts";
import { decisionsFor, parentOf, tipOf, touchedBy } from "../../../workers/hierarchy.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { conflictOf } from "./broken-contracts.ts";

/** How often an orchestrator is asked before a person is: some conflicts take a second look. */
const attempts = 3;

/** Wakes the orchestrator until its own changes hold no conflict. After a restart it begins again where it was. */
export async function correctContracts(run: Run, orchestrator: string): Promise<void> {
  try {
    await correctAll(run, orchestrator);
  } finally {
    run.waiters.wake();
  }
}

/** The lowest conflict first: with it those above may go. */
async function correctAll(run: Run, orchestrator: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    await run.refreshChanges();
    const change = conflictOf(run, orchestrator);
    if (change === null) return;
    if (attempt === attempts)
      throw new EngineRefusal(
        `${change.changeId.slice(0, 12)} still has a conflict after ${orchestrator} tried ${attempts} times.`,
        "Resolve it in that change yourself, then retry.",
      );
    await correct(run, orchestrator, change);
  }
}

async function correct(run: Run, orchestrator: string, { changeId, description }: Change): Promise<void> {
  const touched = touchedBy(run, orchestrator);
  const round = run.orchestratorFacts(orchestrator).contractsCorrected + 1;
  await run.lock.withExclusive(orchestrator, () => run.workspaces.ensure(orchestrator, changeId));
  const { commitId } = await readChange(run, changeId);
  const files = (await run.repository.conflictedFiles(commitId)).map(({ path }) => path);
  const above = decisionsFor(run, parentOf(run, orchestrator)).filter(
    (one) => one.orchestrator !== orchestrator && one.files.some((file) => files.includes(file)),
  );
  const text = prompt(
    promptLine`"${parseDescription(description).subject}" is yours, and what was put below it contradicts it. Your workspace stands on that change now.`,
    section("Files in conflict", pathLines(files)),
    section(
      "Decisions below it",
      above.map(({ title, reason }) => promptLine`- ${title}: ${reason}`),
    ),
  );
  // As while they are first written: another decision from above waits until this one is taken in.
  await run.lock.withShared(orchestrator, () =>
    askOrchestrator(run, orchestrator, `contracts-in-conflict/${round}`, "contracts in conflict", text),
  );
  await run.lock.withExclusive(
    touched,
    () =>
      rewriteBeneath(run, { touched, what: `The contracts of ${orchestrator} were fixed.` }, () =>
        run.workspaces.ensure(orchestrator, tipOf(run, orchestrator)),
      ),
    "contracts are being fixed",
  );
  run.append({ kind: "ContractsCorrected", orchestrator });
}
