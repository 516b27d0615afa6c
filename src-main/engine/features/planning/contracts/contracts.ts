import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { claimsWithoutFile } from "#shared/domain/files/glob.ts";
import { parseOrchestrator } from "#shared/domain/graph-words/address.ts";
import { writeMetadata } from "#shared/domain/graph-words/write-trailers.ts";
import { withDecisionRecord } from "#shared/domain/plan/decision-record.ts";
import { isBlocking } from "#shared/domain/project/first-look.ts";
import { type PromptText, prompt, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { settleBeforeOffer } from "../../../agents/agent.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import type { Run } from "../../../ports.ts";
import { checkLines, contractLines } from "../../../prompts.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { notePassed } from "../../../workspaces/check-options.ts";
import { checkFresh } from "../../../workspaces/checks-in-checkout.ts";
import { save } from "../../../workspaces/save-workspace.ts";
import { judgeSnapshot } from "../../environment/protected-files/protected-changes.ts";

/**
 * Phase 0: what an orchestrator's tasks share, committed to its base, so that every agent below inherits it.
 * Missing files or failed checks go back to it, and to the user after `fold.max_rounds` rounds. Existing
 * content counts by any author, so this can restart at any point.
 */
export async function writeContracts(run: Run, orchestrator: string, signal: AbortSignal): Promise<void> {
  const { base, plan } = run.orchestratorFacts(orchestrator);
  if (base === null || plan === null) throw new Error("Contracts come after the plan.");
  const workspace = await run.workspaces.ensure(orchestrator, base);
  run.append({ kind: "WorkStarted", worker: orchestrator });
  let summary = run.worker(orchestrator).record.summary;
  for (let asked = 0; ; asked++) {
    const written = run.orchestratorFacts(orchestrator).contractsWritten;
    const problems = written === 0 ? [] : await problemsOf(run, orchestrator, signal);
    if (written > 0 && problems.length === 0) break;
    if (asked >= run.config.fold.maxRounds)
      throw new EngineRefusal(
        `The contracts of ${orchestrator} are still invalid after ${asked} attempts:\n${problems.join("\n")}`,
        `Fix them in change ${base.slice(0, 12)} yourself, then retry. If they are still invalid, the retry asks ${orchestrator} again.`,
      );
    const key = written === 0 ? "contracts" : `contracts/${written + 1}`;
    const text = prompt(
      section("Why your contracts are not accepted yet", problems),
      section("Contracts", contractLines(plan)),
      section("How much is written", [rigorOf(orchestrator)]),
      section(
        "Tasks that will build on them",
        plan.tasks.map((task) => promptLine`- ${task.id} (phase ${task.phase}): ${task.title}`),
      ),
    );
    // A decision from above rewrites its base; wait until that is done.
    const answer = await run.lock.withShared(orchestrator, () =>
      askOrchestrator(run, orchestrator, key, "contracts", text),
    );
    await judgeSnapshot(run, orchestrator, workspace, await save(workspace));
    summary = summaryOf(answer.value);
    run.append({ kind: "ContractsWritten", orchestrator, summary });
  }
  await settleBeforeOffer(run, { worker: orchestrator, changeId: base }, signal);
  await closeContracts(run, orchestrator, summary);
  await run.refreshChanges();
  run.dispatch({ kind: "ContractsComplete" }, orchestrator);
}

/** Marks them as done. Who builds on them reads in their commit what was decided; far from the goal types say it all. */
async function closeContracts(run: Run, orchestrator: string, summary: string): Promise<void> {
  const { base, plan } = run.orchestratorFacts(orchestrator);
  if (base === null || plan === null) return;
  const options = { actor: orchestrator };
  if (levelOf(orchestrator) >= 2)
    await run.repository.setMetadata([{ change: base, patch: { status: "done" } }], options);
  else {
    const { description } = await readChange(run, base);
    const recorded = withDecisionRecord(description, { plan, summary });
    await run.repository.describe(base, writeMetadata(recorded, { status: "done" }), options);
  }
}

/**
 * What is far from the goal is small and changes often: there types bind, and words about them would only grow old.
 * (HYLO-1, HYLO-16)
 */
export const rigorOf = (orchestrator: string): PromptText =>
  levelOf(orchestrator) < 2
    ? promptLine`Types always; a short note of what the goal wants and what it leaves out; acceptance tests where they can be written.`
    : promptLine`Types with their limits and errors, and nothing else: the levels above write intent and acceptance tests.`;

/** 0 for the root, 1 for those it delegates to, and so on. */
const levelOf = (orchestrator: string): number =>
  (parseOrchestrator(orchestrator)?.level.charCodeAt(0) ?? 65) - 65;

const summaryOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "summary" in value ? String(value.summary) : "";

/** Why agents cannot build on the contracts as they are, in words for their author; empty when they can. */
async function problemsOf(
  run: Run,
  orchestrator: string,
  signal: AbortSignal,
): Promise<readonly PromptText[]> {
  const { base, plan } = run.orchestratorFacts(orchestrator);
  const change = await readChange(run, base ?? "");
  const { commitId } = change;
  const files = await run.repository.listFiles(commitId);
  const conflicts = change.conflict ? await run.repository.conflictedFiles(commitId) : [];
  const problems = [
    ...claimsWithoutFile(plan?.contracts.files ?? [], files).map(
      (claim) => promptLine`- ${shownName(claim)} is named as a contract, and nothing was written there.`,
    ),
    ...conflicts.map(({ path }) => promptLine`- ${shownName(path)} has conflict markers.`),
  ];
  // An empty change can break no check.
  if (problems.length > 0 || (await run.repository.changedPaths(commitId)).length === 0) return problems;
  const failuresOf = async (commit: string): Promise<readonly CheckResult[]> =>
    (await checkFresh(run, orchestrator, commit, signal)).filter(isBlocking);
  try {
    const results = await checkFresh(run, orchestrator, commitId, signal);
    const failed = results.filter(isBlocking);
    // All tasks build on the root's contracts.
    if (failed.length === 0) notePassed(run, results, orchestrator === rootOf(run) ? "everyone" : "result");
    if (failed.length === 0) return [];
    // What failed before they were written is no fault of theirs, and may be what the goal is about.
    const [parent] = await run.repository.parentsOf(change.changeId);
    const before = new Set((parent ? await failuresOf(parent.commitId) : []).map(({ command }) => command));
    return checkLines(failed.filter(({ command }) => !before.has(command)));
  } finally {
    run.setActivity(orchestrator, "sleeping", "");
  }
}
