import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { ConversationOptions } from "../../../agent/agent-interface.ts";
import { learnedPatterns } from "../../../patterns/learned.ts";
import { explainVerdict, validate } from "../../../validation/validate.ts";
import type {
  OpenedSeat,
  SeatConversation,
  ValidationOutcome,
} from "../../../validation/validation-interface.ts";
import { checksOfMerged, seatsOf } from "../../ceremony/result.ts";
import { conversationFactory } from "../../conversations/conversation-factory.ts";
import {
  openConversation,
  resumeConversation,
  startConversation,
} from "../../conversations/open-conversation.ts";
import { instructionSection } from "../../conversations/project-instructions.ts";
import { Interrupted } from "../../engine-errors.ts";
import { readChange } from "../../graph-sync/read-change.ts";
import type { Run, RunReader, RunWriter } from "../../ports.ts";
import { hasContracts, integratorOf } from "../../workers/hierarchy.ts";
import { gateOf } from "../../workers/run-budget.ts";
import { checkOptions } from "../../workspaces/check-options.ts";

/** The seats judge the integrated commit; what they do not settle among themselves, a person does. */
export async function validateResult(run: Run, attempt: number, signal: AbortSignal): Promise<void> {
  const { onto } = run.facts;
  const { integration } = run.orchestratorFacts(rootOrchestrator);
  if (integration === null || onto === null) throw new Error("There is nothing to validate.");
  const { commitId } = await readChange(run, integration);
  run.append({ kind: "ValidationBegun" });
  const outcome = await judge(run, commitId, onto.commitId, attempt + 1, signal);
  if (outcome.stopped === "budget") run.dispatch({ kind: "BudgetExhausted" });
  if (outcome.stopped !== null) throw new Interrupted();

  let { verdict } = outcome.view;
  if (verdict === "undecided" || verdict === "open") {
    const decision = await run.inbox.ask(
      `${run.id}/votes/${attempt}/${commitId.slice(0, 12)}`,
      () => ({ kind: "votes", validation: outcome.view }),
      run.runEnded.signal,
    );
    verdict = decision.kind === "approve" ? "approved" : "rejected";
    run.append({ kind: "VotesCounted", validation: { ...outcome.view, verdict } });
  }
  const passed = verdict === "approved";
  await run.step(`voted/${attempt}/${commitId}`, async () => {
    for (const seat of outcome.view.seats) {
      if (!seat.counted) continue;
      for (const { record } of run.workers.values())
        if (roles[record.role].hasIterations) run.metrics.vote(record.name, seat.vote === "approve");
    }
    run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
  });
  if (passed) {
    // What was judged is kept, so that nothing else can land.
    run.append(
      { kind: "ResultValidated", commitId },
      { kind: "StageMoved", orchestrator: rootOrchestrator, event: { kind: "ValidationPassed" } },
    );
  } else {
    const reasons = explainVerdict(outcome.view)
      .split(/\n{2,}/u)
      .map((reason) => reason.trim())
      .filter((reason) => reason !== "");
    // Whether anything is repaired, the first of these events decides.
    run.journal.together(() => {
      run.dispatch({
        kind: "ValidationFailed",
        reasons: reasons.length > 0 ? reasons : ["A person rejected the result."],
      });
      // What it said was done has to be repaired.
      if (run.state.course.stage === "integrating")
        run.append({ kind: "WorkReset", worker: integratorOf(rootOrchestrator) });
    });
  }
}

/** Characters of the diff that are read for the seats; of these a prompt takes the part that fits. */
const longestDiff = 1_000_000;

async function judge(
  run: Run,
  commit: string,
  from: string,
  attempt: number,
  signal: AbortSignal,
): Promise<ValidationOutcome> {
  const { config, facts } = run;
  const places = await run.workspaces.checkouts(commit, {
    signal: run.runEnded.signal,
    setUpFor: { worker: rootOrchestrator, signal },
  });
  const before = facts.validation;
  // What ran on exactly this commit says the same again.
  const checksBefore: readonly CheckResult[] =
    before && before.commitId === commit && before.attempt === attempt
      ? before.checks
      : checksOfMerged(run, commit);
  const diff = await run.repository.diff({ commit, from, limit: longestDiff });
  const { seats, reason } = seatsOf(run, { diff, checks: checksBefore.length, attempt: attempt - 1 });
  const asSeated = (view: ValidationView): ValidationView => ({ ...view, why: reason });
  try {
    const outcome = await validate({
      commit,
      run: run.id,
      attempt,
      seats,
      evidence: {
        goal: run.row.input.goal,
        plan: planAsCarriedOut(run),
        abandoned: run.state.tasks.flatMap(({ task, state }) => (state === "abandoned" ? [task] : [])),
        diff,
        decisions: facts.decisions.map(({ title, reason }) => ({ title, reason })),
        summaries: Object.fromEntries(
          [...run.workers.values()]
            .filter(({ record }) => record.summary !== "" && record.status !== "abandoned")
            .map(({ record }) => [record.name, record.summary]),
        ),
      },
      converse: (seat, key, begin) =>
        openSeat(run, seatWorker(run, seat), key, begin, () =>
          signal.aborted ? "pause" : gateOf(run, null)(),
        ),
      scheduler: (await run.driver()).scheduler,
      checkout: places.checkout,
      runChecks: (place, signal) =>
        place
          .checks({ ...checkOptions(run, true), foundIn: run.workspaces.home() })
          .run({ iteration: 1, all: true, signal, environment: {} }),
      tell: (seat, text) => run.appendTranscript(seatWorker(run, seat), { kind: "notice", text }),
      onVote(view, votes) {
        run.journal.together(() => {
          run.journal.setVotes(run.id, votes);
          run.append({ kind: "VotesCounted", validation: asSeated(view) });
        });
        for (const seat of view.seats) {
          const name = seatWorker(run, seat.seat);
          run.worker(name).recorder.flush();
          if (seat.vote !== "pending") run.setActivity(name, "done", `${seat.vote}`);
        }
      },
      signal: run.runEnded.signal,
      earlier: { votes: run.journal.votes(run.id), checks: checksBefore },
      now: run.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      instructions: instructionSection(
        run,
        filesOfDiff(diff).map(({ path }) => path),
      ),
      learned: learnedPatterns(facts.patterns.filter((pattern) => pattern.category === "validation")),
    });
    return { ...outcome, view: asSeated(outcome.view) };
  } finally {
    await places.remove();
  }
}

/** The conversation of a seat lasts for one checkout: in another process, or after a pause, it goes on in another one. */
async function openSeat(
  run: Run,
  worker: string,
  key: string,
  { system, tools, checkout }: SeatConversation,
  gate: ConversationOptions["gate"],
): Promise<OpenedSeat> {
  const fileRules = { protectedFiles: [] };
  const start = await conversationFactory(run, worker, { system, tools, place: checkout, gate, fileRules });
  const left = openConversation(run, worker, key);
  return left
    ? {
        conversation: resumeConversation(run, worker, { ...left, conversation: null }, start),
        isResumed: true,
      }
    : { conversation: startConversation(run, worker, key, start), isResumed: false };
}

/** Contracts that nobody wrote are nothing to look for. */
function planAsCarriedOut(run: RunReader): Plan | null {
  const { plan } = run.orchestratorFacts(rootOrchestrator);
  return plan === null || hasContracts(run, rootOrchestrator)
    ? plan
    : { ...plan, contracts: { ...plan.contracts, files: [] } };
}

function seatWorker(run: RunWriter, seat: string): string {
  run.addWorker({
    name: seat,
    role: "validator",
    parent: rootOrchestrator,
    title: "Judges the result",
    status: "in_progress",
  });
  return seat;
}
