/** Validator agents at the automatic gate, where `[patterns] judged_by_seats` asks for them. (HOX-8.4b) */
import { createHash } from "node:crypto";
import { z } from "zod";
import { counted } from "#shared/domain/text/counted.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { approvalsNeeded, maySayNothing, type Vote } from "#shared/domain/validation/quorum.ts";
import { askForTool } from "../../../../agent/ask-for-tool.ts";
import { systemPrompt } from "../../../../config/system-prompt.ts";
import { afterActiveTime } from "../../../../model/rate-limit.ts";
import { patternHash, renderPattern } from "../../../../patterns/pattern-text.ts";
import type { GateResult, PatternProposal, RecordedRun } from "../../../../patterns/patterns-interface.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import type { OpenedSeat } from "../../../../validation/validation-interface.ts";
import {
  conversationFactory,
  describeTurnEnd,
  openConversation,
  resumeConversation,
  type StartConversation,
  startConversation,
} from "../../../conversations/conversation-factory.ts";
import { explain, Interrupted } from "../../../engine-errors.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { gateOf } from "../../../workers/run-budget.ts";

const voteShape = z.strictObject({
  vote: z.enum(["approve", "reject", "abstain"]),
  reason: z.string().min(1).max(2_000),
});
type PatternVote = Pick<Vote, "answer" | "reason">;

/** Patterns are optional, so spending the budget on one does not ask for more. */
class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/**
 * Votes are stored for exactly this text, so a restart repeats none. An abstention never becomes an approval,
 * and seats that could not change the verdict are not asked.
 * @throws Interrupted if the run is paused
 */
export const judgedBySeats = (
  run: Run,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
): Promise<GateResult> =>
  // One text after another, because a seat sits in one conversation.
  run.serial.run("pattern-judges", () => judge(run, proposal, runs));

async function judge(run: Run, proposal: PatternProposal, runs: readonly RecordedRun[]): Promise<GateResult> {
  const { validatorCount, consensusThreshold } = run.config.validation;
  const seats = Array.from({ length: validatorCount }, (_, at) => `pattern-judge-${at + 1}`);
  const needed = approvalsNeeded(seats.length, consensusThreshold);
  const hash = patternHash(proposal);
  const text = questionOf(proposal, runs);
  const votes: (PatternVote & { readonly seat: string })[] = [];
  const approvals = (): number => votes.filter(({ answer }) => answer === "approve").length;
  const isOpen = (): boolean =>
    approvals() < needed && votes.length - approvals() <= maySayNothing(seats.length, needed);
  let isSpent = false;
  for (const seat of seats) {
    if (!isOpen()) break;
    const step = `pattern/${createHash("sha256").update(`${hash} ${seat}`).digest("hex").slice(0, 24)}`;
    try {
      votes.push({ seat, ...(await run.step(step, () => voteOf(run, seat, step, text))) });
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      isSpent = true;
      break;
    }
  }
  const passed = approvals() >= needed;
  const against = votes.filter(({ answer }) => answer !== "approve");
  return {
    name: "validator votes",
    passed,
    detail: [
      `${approvals()} of ${seats.length} validators approved, ${needed} required.`,
      ...(passed ? [] : against.map(({ seat, reason }) => `${seat}: ${reason}`)),
      ...(isSpent
        ? [
            `${votes.length === 0 ? "No validator" : "No other validator"} was asked: the budget of the run is spent.`,
          ]
        : []),
    ].join(" "),
  };
}

/** @throws BudgetSpent, Interrupted: no vote was cast, and the same seat is asked on resume */
async function voteOf(run: Run, seat: string, key: string, text: PromptText): Promise<PatternVote> {
  run.addWorker({
    name: seat,
    role: "validator",
    parent: rootOf(run),
    title: "Judges a pattern",
    status: "in_progress",
  });
  const start = await conversationFactory(run, seat, {
    system: systemPrompt("pattern-judge", seat, {}),
    tools: [
      structuredTool(
        "judge_pattern",
        "Votes on whether the pattern may be shown to the user. Use it once, after you have read it.",
        voteShape,
      ),
    ],
    place: run.workspaces.home(),
    gate: gateOf(run, null),
  });
  const limit = run.config.validation.seatTimeoutSeconds * 1000;
  const late = new AbortController();
  // Time spent waiting for the provider does not count.
  const stopTimer = afterActiveTime(limit, (await run.driver()).scheduler, () => late.abort());
  try {
    const asked = await askForTool({
      prompt: text,
      reminder: promptLine`Answer with one call of judge_pattern.`,
      reminders: 1,
      isWorthReminder: (end) => end.kind === "ended",
      signal: AbortSignal.any([run.runEnded.signal, late.signal]),
      answerOf: (signal) => (signal.kind === "structured" ? voteShape.parse(signal.value) : null),
      open: async () => openSeat(run, seat, key, start),
    });
    if (late.signal.aborted && !run.runEnded.signal.aborted)
      return { answer: "timed-out", reason: `No vote within ${counted(limit / 1000, "second")}.` };
    if (asked.kind === "answer") return { answer: asked.answer.vote, reason: asked.answer.reason };
    if (asked.kind === "stopped") throw asked.by === "budget" ? new BudgetSpent() : new Interrupted();
    const reason = asked.kind === "failed" ? explain(asked.error).message : `${describeTurnEnd(asked.end)}.`;
    return { answer: "error", reason };
  } finally {
    stopTimer();
    run.worker(seat).recorder.flush();
    run.setActivity(seat, "done", "");
  }
}

/** Resumes the conversation that an earlier process or a pause left open for exactly this question. */
function openSeat(run: Run, seat: string, key: string, start: StartConversation): OpenedSeat {
  const left = openConversation(run, seat, key);
  return left
    ? { conversation: resumeConversation(run, seat, left, start), isResumed: true }
    : { conversation: startConversation(run, seat, key, start), isResumed: false };
}

function questionOf(proposal: PatternProposal, runs: readonly RecordedRun[]): PromptText {
  const own = runs.find(({ run }) => run === proposal.run);
  return prompt(
    promptLine`[JUDGE PATTERN] ${proposal.name}`,
    section("The pattern", [quoteText(renderPattern(proposal))]),
    section(
      "Figures of the run that it came from",
      Object.entries(own?.figures ?? {}).map(([name, value]) => promptLine`- ${name} = ${value}`),
    ),
  );
}
