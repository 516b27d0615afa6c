/** A panel: where its seats sit, what they are shown and by whom they are held. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import type { Panel } from "#shared/domain/validation/panel.ts";
import type { ConversationOptions } from "../../../../agent/agent-interface.ts";
import { validate } from "../../../../validation/validate.ts";
import type {
  OpenedSeat,
  SeatConversation,
  ValidationEvidence,
  ValidationOutcome,
} from "../../../../validation/validation-interface.ts";
import {
  conversationFactory,
  openConversation,
  resumeConversation,
  startConversation,
} from "../../../conversations/conversation-factory.ts";
import { learnedBy, recordInjectedPatterns } from "../../../conversations/learned-patterns.ts";
import { instructionSection } from "../../../conversations/project-instructions.ts";
import type { Run, RunReader, RunWriter } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { gateOf } from "../../../workers/run-budget.ts";
import { checkOptions } from "../../../workspaces/check-options.ts";

/** Characters of the diff that are read for the seats; of these a prompt takes the part that fits. */
export const maxDiffLength = 1_000_000;

export interface PanelSubject {
  readonly commit: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly panel: Panel;
  readonly evidence: ValidationEvidence;
  /** The checks' results on exactly this commit; empty: they run first. */
  readonly checks: readonly CheckResult[];
  /** The seat's job, for the screen. */
  readonly title: string;
  /** Called with every vote, together with keeping it. */
  readonly counted: (view: ValidationView) => void;
}

/** Has the seats of a panel judge one commit. What was voted before a restart counts. (HOX-7.1) */
export async function runPanel(
  run: Run,
  subject: PanelSubject,
  signal: AbortSignal,
  moved: AbortSignal,
): Promise<ValidationOutcome> {
  const { config } = run;
  const { commit, attempt, panel, evidence, checks, title } = subject;
  const worker = (seat: string, model: string | null = null): string => seatWorker(run, seat, title, model);
  const learned = learnedBy(run, rootOf(run), "validator");
  const places = await run.workspaces.checkouts(commit, {
    signal: run.runEnded.signal,
    setUpFor: { worker: rootOf(run), signal },
  });
  try {
    return await validate({
      ...{ commit, run: run.id, attempt, panel, evidence },
      threshold: config.validation.consensusThreshold,
      converse(seat, key, begin) {
        const model = panel.seats.find(({ name }) => name === seat)?.model ?? null;
        const name = worker(seat, model);
        recordInjectedPatterns(run, name, learned.injected);
        return openSeat(run, name, model, key, begin, () => (signal.aborted ? "pause" : gateOf(run, null)()));
      },
      scheduler: (await run.driver()).scheduler,
      checkout: places.checkout,
      runChecks: (place, signal) =>
        place
          .checks({ ...checkOptions(run, true), foundIn: run.workspaces.home() })
          .run({ iteration: 1, all: true, signal, environment: {} }),
      tell: (seat, text) => run.appendTranscript(worker(seat), { kind: "notice", text }),
      onVote(view, votes) {
        run.journal.together(() => {
          run.journal.setVotes(run.id, votes);
          subject.counted(view);
        });
        for (const seat of view.seats) {
          const name = worker(seat.seat);
          run.worker(name).recorder.flush();
          if (seat.vote !== "pending") run.setActivity(name, "done", `${seat.vote}`);
        }
      },
      signal: AbortSignal.any([run.runEnded.signal, moved]),
      earlier: { votes: run.journal.votes(run.id), checks },
      now: run.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      commandTimeoutSeconds: config.loopDefaults.commandTimeoutSeconds,
      instructions: instructionSection(
        run,
        filesOfDiff(evidence.diff).map(({ path }) => path),
      ),
      learned: learned.text,
    });
  } finally {
    await places.remove();
  }
}

/** What every strategy shows in addition to goal, plan and diff. */
export const evidenceOf = (
  run: RunReader,
  shown: Pick<ValidationEvidence, "goal" | "plan" | "abandoned" | "diff">,
): ValidationEvidence => ({
  ...shown,
  decisions: run.facts.decisions.map(({ title, reason }) => ({ title, reason })),
  summaries: Object.fromEntries(
    [...run.workers.values()]
      .filter(({ record }) => record.summary !== "" && record.status !== "abandoned")
      .map(({ record }) => [record.name, record.summary]),
  ),
});

/**
 * A seat's conversation is bound to one checkout; another process, or a resume after a pause, opens a new
 * one.
 */
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

function seatWorker(run: RunReader & RunWriter, seat: string, title: string, model: string | null): string {
  run.addWorker({
    ...{ name: seat, role: "validator", parent: rootOf(run), title, status: "in_progress" },
    ...(model === null ? {} : { model }),
  });
  return seat;
}
