/** Validator agents at the automatic gate, where `[patterns] judged_by_seats` asks for them. (HOX-8.4b) */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { approvalsNeeded, type Vote, verdict } from "#shared/domain/validation/quorum.ts";
import { askForTool } from "../../../agent/ask-for-tool.ts";
import { systemPrompt } from "../../../config/system-prompt.ts";
import { patternHash, renderPattern } from "../../../patterns/pattern-text.ts";
import type { GateResult, PatternProposal, RecordedRun } from "../../../patterns/patterns-interface.ts";
import { structuredTool } from "../../../tools/structured-tool.ts";
import { conversationFactory, describeTurnEnd } from "../../conversations/conversation-factory.ts";
import { explain, Interrupted } from "../../engine-errors.ts";
import type { Run } from "../../ports.ts";
import { rootOf } from "../../workers/hierarchy.ts";
import { gateOf } from "../../workers/run-budget.ts";

const voteShape = z.strictObject({
  vote: z.enum(["approve", "reject", "abstain"]),
  reason: z.string().min(1).max(2_000),
});
type PatternVote = Pick<Vote, "answer" | "reason">;

/** Votes are kept for exactly this text: after a restart nobody is asked twice. What is no approval never becomes one. */
export async function judgedBySeats(
  run: Run,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
): Promise<GateResult> {
  const { validatorCount, consensusThreshold } = run.config.validation;
  const seats = Array.from({ length: validatorCount }, (_, at) => `pattern-judge-${at + 1}`);
  const hash = patternHash(proposal);
  const ballot = { run: run.id, attempt: 1, commitId: hash };
  const text = questionOf(proposal, runs);
  const votes: Vote[] = [];
  for (const seat of seats) {
    const step = `pattern/${createHash("sha256").update(`${hash} ${seat}`).digest("hex").slice(0, 24)}`;
    votes.push({ ...ballot, seat, ...(await run.step(step, () => voteOf(run, seat, text))) });
    if (verdict(ballot, seats, votes, [], consensusThreshold).kind !== "open") break;
  }
  const found = verdict(ballot, seats, votes, [], consensusThreshold);
  const approvals = votes.filter(({ answer }) => answer === "approve").length;
  const needed = approvalsNeeded(seats.length, consensusThreshold);
  const against = votes.find(({ answer }) => answer !== "approve");
  return {
    name: "judged by seats",
    passed: found.kind === "approved",
    detail:
      found.kind === "approved"
        ? `${approvals} of ${seats.length} seats approve, ${needed} are needed.`
        : `${approvals} of ${seats.length} seats approve, ${needed} are needed. ${against ? `${against.seat}: ${against.reason}` : ""}`.trim(),
  };
}

async function voteOf(run: Run, seat: string, text: PromptText): Promise<PatternVote> {
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
      structuredTool("judge_pattern", "Says whether the pattern may be put before a person.", voteShape),
    ],
    place: run.workspaces.home(),
    gate: gateOf(run, null),
  });
  const conversation = start();
  let hasBegun = false;
  try {
    const asked = await askForTool({
      prompt: text,
      reminder: promptLine`Answer with one call of judge_pattern.`,
      reminders: 1,
      isWorthReminder: (end) => end.kind === "ended",
      signal: run.runEnded.signal,
      answerOf: (signal) => (signal.kind === "structured" ? voteShape.parse(signal.value) : null),
      async open() {
        const isResumed = hasBegun;
        hasBegun = true;
        return { conversation, isResumed };
      },
    });
    if (asked.kind === "answer") return { answer: asked.answer.vote, reason: asked.answer.reason };
    if (asked.kind === "stopped") {
      if (asked.by === "budget") run.dispatch({ kind: "BudgetExhausted" });
      throw new Interrupted();
    }
    const reason = asked.kind === "failed" ? explain(asked.error).message : `${describeTurnEnd(asked.end)}.`;
    return { answer: "error", reason };
  } finally {
    run.worker(seat).recorder.flush();
    run.setActivity(seat, "done", "");
  }
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
