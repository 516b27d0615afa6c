/** The seats of a run's result: where they sit, what they are shown and by whom they are held. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { ConversationOptions } from "../../../agent/agent-interface.ts";
import { validate } from "../../../validation/validate.ts";
import type {
  OpenedSeat,
  SeatConversation,
  ValidationEvidence,
  ValidationOutcome,
} from "../../../validation/validation-interface.ts";
import { checksOfMerged, seatsOf } from "../../ceremony/result.ts";
import { conversationFactory } from "../../conversations/conversation-factory.ts";
import { learnedBy, tellPatterns } from "../../conversations/learned-patterns.ts";
import {
  openConversation,
  resumeConversation,
  startConversation,
} from "../../conversations/open-conversation.ts";
import { instructionSection } from "../../conversations/project-instructions.ts";
import { readChange } from "../../graph-sync/read-change.ts";
import { judgedChange, whileUnmoved } from "../../graph-sync/while-unmoved.ts";
import type { Run, RunReader, RunWriter } from "../../ports.ts";
import { hasContracts, rootOf } from "../../workers/hierarchy.ts";
import { gateOf } from "../../workers/run-budget.ts";
import { checkOptions } from "../../workspaces/check-options.ts";
import { panelOfRun } from "./panel-of-run.ts";

/** Characters of the diff that are read for the seats; of these a prompt takes the part that fits. */
const longestDiff = 1_000_000;

/**
 * Has the seats judge a run's result as it is. Where a person edits it meanwhile their votes are void, and the seats judge
 * what it is then. (HOX-7.1)
 *
 * @param from commit that the run was built on
 */
export async function judgeResult(
  run: Run,
  integration: string,
  from: string,
  attempt: number,
  signal: AbortSignal,
): Promise<{ readonly commitId: string; readonly outcome: ValidationOutcome }> {
  for (;;) {
    const { commitId } = await readChange(run, integration);
    run.append({ kind: "ValidationBegun" });
    const { outcome, hasMoved } = await whileUnmoved(run, judgedChange(run, integration, commitId), (moved) =>
      judge(run, commitId, from, attempt, signal, moved),
    );
    const isHeld = run.runEnded.signal.aborted || (outcome.stopped !== null && outcome.stopped !== "aborted");
    // Stopped for another reason it is read anew when it goes on.
    if (isHeld || !(await hasMoved())) return { commitId, outcome };
    run.emit({
      kind: "notice",
      level: "info",
      text: "The result was edited while it was judged: those votes are void.",
      remedy: "Nothing to do. The seats judge it as it is now.",
    });
  }
}

async function judge(
  run: Run,
  commit: string,
  from: string,
  attempt: number,
  signal: AbortSignal,
  moved: AbortSignal,
): Promise<ValidationOutcome> {
  const { config, facts } = run;
  const before = facts.validation;
  // What ran on exactly this commit says the same again.
  const checksBefore: readonly CheckResult[] =
    before && before.commitId === commit && before.attempt === attempt
      ? before.checks
      : checksOfMerged(run, commit);
  const diff = await run.repository.diff({ commit, from, limit: longestDiff });
  const { seats, reason } = seatsOf(run, { diff, checks: checksBefore.length, attempt: attempt - 1 });
  const { panel, evidence } = await panelOfRun(run, { commit, attempt, seats });
  const learned = learnedBy(run, rootOf(run), "validator");
  const asSeated = (view: ValidationView): ValidationView => ({ ...view, why: reason });
  const places = await run.workspaces.checkouts(commit, {
    signal: run.runEnded.signal,
    setUpFor: { worker: rootOf(run), signal },
  });
  try {
    const outcome = await validate({
      commit,
      run: run.id,
      attempt,
      seats,
      panel,
      threshold: config.validation.consensusThreshold,
      evidence: { ...evidenceOf(run, diff), ...evidence },
      converse(seat, key, begin) {
        const model = panel.seats.find(({ name }) => name === seat)?.model ?? null;
        const worker = seatWorker(run, seat, model);
        tellPatterns(run, worker, learned.told);
        return openSeat(run, worker, model, key, begin, () =>
          signal.aborted ? "pause" : gateOf(run, null)(),
        );
      },
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
      signal: AbortSignal.any([run.runEnded.signal, moved]),
      earlier: { votes: run.journal.votes(run.id), checks: checksBefore },
      now: run.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      instructions: instructionSection(
        run,
        filesOfDiff(diff).map(({ path }) => path),
      ),
      learned: learned.text,
    });
    return { ...outcome, view: asSeated(outcome.view) };
  } finally {
    await places.remove();
  }
}

/** What every strategy shows of the result. */
const evidenceOf = (run: RunReader, diff: string): ValidationEvidence => ({
  goal: run.row.input.goal,
  plan: planAsCarriedOut(run),
  abandoned: run.state.tasks.flatMap(({ task, state }) => (state === "abandoned" ? [task] : [])),
  diff,
  decisions: run.facts.decisions.map(({ title, reason }) => ({ title, reason })),
  summaries: Object.fromEntries(
    [...run.workers.values()]
      .filter(({ record }) => record.summary !== "" && record.status !== "abandoned")
      .map(({ record }) => [record.name, record.summary]),
  ),
});

/** The conversation of a seat lasts for one checkout: in another process, or after a pause, it goes on in another one. */
async function openSeat(
  run: Run,
  worker: string,
  model: string | null,
  key: string,
  { system, tools, checkout }: SeatConversation,
  gate: ConversationOptions["gate"],
): Promise<OpenedSeat> {
  const fileRules = { protectedFiles: [] };
  const start = await conversationFactory(run, worker, {
    ...{ system, tools, place: checkout, gate, fileRules },
    ...(model === null ? {} : { model }),
  });
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
  const { plan } = run.orchestratorFacts(rootOf(run));
  return plan === null || hasContracts(run, rootOf(run))
    ? plan
    : { ...plan, contracts: { ...plan.contracts, files: [] } };
}

function seatWorker(run: RunReader & RunWriter, seat: string, model: string | null = null): string {
  run.addWorker({
    name: seat,
    role: "validator",
    parent: rootOf(run),
    title: "Judges the result",
    ...(model === null ? {} : { model }),
    status: "in_progress",
  });
  return seat;
}
