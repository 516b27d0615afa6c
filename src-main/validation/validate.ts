import { z } from "zod";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { withLines } from "#shared/domain/merge-request/line-remark.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import {
  approvalsNeeded,
  formatEvidence,
  type Seat,
  type SeatView,
  tolerated,
  type ValidationView,
  type Verdict,
  type Veto,
  type Vote,
  verdict,
} from "#shared/domain/validation/panel.ts";
import { countedVote, isLost, maxReplacements } from "#shared/domain/validation/rounds.ts";
import { askForTool, type ToolAnswer } from "../agent/ask-for-tool.ts";
import { ModelError } from "../model/model-error.ts";
import { afterActiveTime } from "../model/rate-limit.ts";
import { commandTool, readingTools } from "../tools/agent-tools.ts";
import { filesOfCheckout, judgingTool, lineRemarksInput, remarksOnLines } from "../tools/line-remarks.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import { type SeatPrompt, seatPrompt } from "./seat-prompt.ts";
import type { CastVote, ValidationOptions, ValidationOutcome } from "./validation-interface.ts";

/**
 * Judges one commit: deterministic checks first (a failure vetoes), then n blind seats, each with its own
 * evidence and fresh checkout. (HOX-7)
 * @throws ModelError if the provider refuses a seat with a problem that only the user can fix, and the other
 *   votes decide nothing; votes so far were reported to `onVote`
 */
export async function validate(options: ValidationOptions): Promise<ValidationOutcome> {
  const ballot = { run: options.run, attempt: options.attempt, commitId: options.commit };
  const checks = options.earlier?.checks.length ? options.earlier.checks : await fresh(options);
  if (checks === null) return outcome(options, [], [], "aborted");

  const { learned = promptLine``, instructions = promptLine`` } = options;
  const subject = { ...options, checks, learned, instructions };
  const seats = options.panel.seats.map((seat) => ({ seat, prompt: seatPrompt(seat, subject) }));
  const votes: CastVote[] = (options.earlier?.votes ?? []).filter((vote) => {
    const place = seats.find(({ seat }) => seat.name === vote.seat);
    return (
      place?.prompt.hash === vote.promptHash &&
      vote.run === ballot.run &&
      vote.attempt === ballot.attempt &&
      vote.commit === ballot.commitId
    );
  });
  const reportVotes = (): void => options.onVote(validationView(options, checks, votes), [...votes]);
  reportVotes();

  let stopped: ValidationOutcome["stopped"] = null;
  while (stopped === null) {
    const now = decide(options, checks, votes);
    if (now.kind === "vetoed") break;
    const free = seats.filter(({ seat }) => isFree(now, countedVoteFor(votes, seat)));
    if (free.length === 0) break;
    const held = await Promise.allSettled(
      free.map(async ({ seat, prompt }) => {
        const before = countedVoteFor(votes, seat);
        const replacement = before ? before.replacement + 1 : 0;
        const result = await judgeSeat(seat, prompt, { ...options, checks }, replacement);
        if (result.kind === "stopped") return result.by;
        if (result.kind === "refused") return { error: result.error, seat, prompt, replacement };
        votes.push(castVote(seat, prompt, result, options, replacement));
        reportVotes();
        return null;
      }),
    );
    const refused = [];
    for (const one of held) {
      if (one.status === "rejected") throw one.reason;
      if (one.value === null || typeof one.value === "string") stopped ??= one.value;
      else refused.push(one.value);
    }
    if (stopped !== null || refused.length === 0) continue;
    if (!isDecided(decide(options, checks, votes).kind)) throw refused[0]?.error;
    // Enough others have voted, so it need not be fixed.
    for (const { seat, prompt, replacement, error } of refused)
      votes.push(castVote(seat, prompt, { vote: "error", reason: error.message }, options, replacement));
    reportVotes();
  }
  return outcome(options, checks, votes, stopped);
}

const voteShape = z.strictObject({
  vote: z.enum(["approve", "reject", "abstain"]),
  commit: z.string().min(7).max(64).describe("The id of the commit that you judged, as given in the prompt."),
  reason: z.string().min(1).max(4_000).describe("What you checked and what decided it, in a few sentences."),
  lines: lineRemarksInput,
});

const heardShape = z.object({
  ...{ vote: voteShape.shape.vote, commit: z.string(), reason: z.string(), lines: remarksOnLines },
});

/** What a seat says. */
type SeatBallot = Pick<CastVote, "vote" | "reason" | "lines">;

/**
 * The result of one judge: a vote, why the whole validation stopped, or a problem that only the user can fix.
 */
type SeatAnswer =
  | ({ readonly kind: "vote" } & SeatBallot)
  | { readonly kind: "stopped"; readonly by: "pause" | "budget" | "aborted" }
  | { readonly kind: "refused"; readonly error: ModelError };

const defaultTimeout = 600_000;

/** One judge, in a separate fresh checkout, with tools that read and run but cannot change the result. */
async function judgeSeat(
  seat: Seat,
  prompt: SeatPrompt,
  options: ValidationOptions & { readonly checks: readonly CheckResult[] },
  replacement: number,
): Promise<SeatAnswer> {
  const checkout = await options.checkout();
  const limit = options.seatTimeoutMs ?? defaultTimeout;
  const clock = new AbortController();
  // Time spent waiting for the provider does not count.
  const stopTimer = afterActiveTime(limit, options.scheduler, () => clock.abort());
  try {
    const tools = [
      ...readingTools(),
      commandTool(
        options,
        options.checks.map(({ command }) => command),
      ),
      judgingTool(
        "cast_vote",
        "Casts your one vote and ends your work. Use it when you have checked everything: it is final.",
        voteShape,
        (context) => filesOfCheckout(options.commit, context),
      ),
    ];
    const key = `${prompt.hash}/${replacement}`;
    const { system } = prompt;
    const opened = await options.converse(seat.name, key, { system, tools, checkout });
    const asked = await askForTool({
      prompt: prompt.prompt,
      reminder: promptLine`You have not voted. Call cast_vote now; without it your seat has no vote.`,
      reminders: 1,
      // Another judge takes the seat of one that got nowhere.
      isWorthReminder: (end) => end.kind === "ended",
      signal: AbortSignal.any([options.signal, clock.signal]),
      answerOf: (signal) => (signal.kind === "structured" ? signal : null),
      open: async () => opened,
    });
    return voteFrom(asked, options, clock.signal.aborted, limit);
  } finally {
    stopTimer();
    await removeOrTell(checkout.remove, seat, options);
  }
}

function voteFrom(
  asked: ToolAnswer<Extract<ToolSignal, { kind: "structured" }>>,
  options: ValidationOptions,
  isLate: boolean,
  limit: number,
): SeatAnswer {
  const lost = (vote: "error" | "timed-out", reason: string): SeatAnswer => ({ kind: "vote", vote, reason });
  const late = lost("timed-out", `No vote within ${formatDuration(limit)}.`);
  switch (asked.kind) {
    case "answer": {
      // The time limit passed during its vote.
      if (isLate) return late;
      const parsed = heardShape.safeParse(asked.answer.value);
      return parsed.success ? voteFor(parsed.data, options) : lost("error", "Its vote could not be read.");
    }
    case "stopped":
      return asked.by === "aborted" && isLate && !options.signal.aborted
        ? late
        : { kind: "stopped", by: asked.by };
    case "failed":
      return asked.error instanceof ModelError && ["at-once", "shorter"].includes(asked.error.recovery)
        ? { kind: "refused", error: asked.error }
        : lost("error", asked.error.message);
    case "none":
      return lost("error", whyWithoutVote(asked.end));
  }
}

/** Seconds, or minutes where there are as many. */
const formatDuration = (ms: number): string =>
  ms >= 120_000 ? counted(Math.round(ms / 60_000), "minute") : counted(Math.round(ms / 1_000), "second");

/** A vote for another commit than the one that was judged says nothing. */
const voteFor = (
  { vote, commit, reason, lines }: z.infer<typeof heardShape>,
  options: ValidationOptions,
): SeatAnswer =>
  options.commit.startsWith(commit)
    ? {
        ...{ kind: "vote", vote, reason: withLines(reason, lines) },
        ...(lines.length === 0 ? {} : { lines }),
      }
    : {
        kind: "vote",
        vote: "void",
        reason: `Voted on ${commit.slice(0, 12)}, which is another commit: ${reason}`,
      };

function whyWithoutVote(end: Extract<ToolAnswer<never>, { kind: "none" }>["end"]): string {
  switch (end.kind) {
    case "ended":
      return "It finished without a vote.";
    case "signal":
      return "Its vote could not be read.";
    case "turn-limit":
      return "It used up its turns without a vote.";
    case "loop":
      return "It repeated the same calls without a vote.";
    case "cut":
      return end.reason === "max_tokens" ? "Its answer was cut off." : "Its context window was full.";
    case "context-share":
      return "Its context window was full.";
    case "refused":
      return `It refused to answer${end.text ? `: ${end.text}` : ""}.`;
  }
}

/** A leftover checkout costs disk, not correctness: it is reported, and the vote counts. */
async function removeOrTell(
  remove: () => Promise<void>,
  seat: Seat,
  options: ValidationOptions,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    options.tell(seat.name, `Its checkout could not be removed: ${reason}`);
  }
}

async function fresh(options: ValidationOptions): Promise<readonly CheckResult[] | null> {
  if (options.signal.aborted) return null;
  const checkout = await options.checkout();
  try {
    const checks = await options.runChecks(checkout, options.signal);
    // What was stopped half-way has judged nothing.
    return options.signal.aborted ? null : checks;
  } finally {
    await checkout.remove();
  }
}

const isDecided = (kind: Verdict["kind"]): boolean =>
  kind === "approved" || kind === "rejected" || kind === "vetoed";

const countedVoteFor = (votes: readonly CastVote[], seat: Seat): CastVote | null =>
  countedVote(votes.filter((vote) => vote.seat === seat.name));

/** Every seat is held once, even when the others have decided; a lost one again only while nothing is decided. */
function isFree(now: Verdict, last: CastVote | null): boolean {
  if (!last) return true;
  return now.kind === "undecided" && isLost(last) && last.replacement < maxReplacements;
}

const castVote = (
  seat: Seat,
  prompt: SeatPrompt,
  held: SeatBallot,
  options: ValidationOptions,
  replacement: number,
): CastVote => ({
  seat: seat.name,
  run: options.run,
  attempt: options.attempt,
  commit: options.commit,
  promptHash: prompt.hash,
  vote: held.vote,
  reason: held.reason,
  ...(held.lines === undefined ? {} : { lines: held.lines }),
  at: options.now(),
  replacement,
  ...(seat.model === null ? {} : { model: seat.model }),
});

/** The rules themselves are `quorum.ts`; here the papers are made ready for them. */
function decide(
  options: ValidationOptions,
  checks: readonly CheckResult[],
  cast: readonly CastVote[],
): Verdict {
  const ballot = { run: options.run, attempt: options.attempt, commitId: options.commit };
  const { seats } = options.panel;
  const votes: Vote[] = seats.flatMap((seat) => {
    const last = countedVoteFor(cast, seat);
    // A void vote is an answer without meaning: like an error it approves nothing and holds its place.
    return last
      ? [
          {
            ...ballot,
            seat: seat.name,
            answer: last.vote === "void" ? "error" : last.vote,
            reason: last.reason,
          },
        ]
      : [];
  });
  const vetoes: Veto[] = checks.filter(isBlocking).map((check) => ({
    ...ballot,
    check: check.name,
    reason: `${check.command}: ${outcomeText[check.outcome]}`,
  }));
  return verdict(
    ballot,
    seats.map((seat) => seat.name),
    votes,
    vetoes,
    options.threshold,
  );
}

function validationView(
  options: ValidationOptions,
  checks: readonly CheckResult[],
  votes: readonly CastVote[],
): ValidationView {
  const { strategy, seats, notes } = options.panel;
  return {
    commitId: options.commit,
    attempt: options.attempt,
    strategy,
    ...(notes.length === 0 ? {} : { notes }),
    seats: seats.map((seat): SeatView => {
      const last = countedVoteFor(votes, seat);
      const model = last?.model ?? seat.model;
      return {
        seat: seat.name,
        evidence: seat.evidence,
        vote: last?.vote ?? "pending",
        reason: last?.reason ?? "",
        ...(last?.lines === undefined ? {} : { lines: last.lines }),
        at: last?.at ?? null,
        counted: last !== null && !isLost(last),
        ...(model === null ? {} : { model }),
        ...(seat.peer === null ? {} : { peer: seat.peer }),
        ...(last === null || last.replacement === 0 ? {} : { judges: last.replacement + 1 }),
      };
    }),
    quorum: approvalsNeeded(seats.length, options.threshold),
    tolerated: tolerated(seats.length),
    verdict: decide(options, checks, votes).kind,
    checks,
  };
}

function outcome(
  options: ValidationOptions,
  checks: readonly CheckResult[],
  votes: readonly CastVote[],
  stopped: ValidationOutcome["stopped"],
): ValidationOutcome {
  const view = validationView(options, checks, votes);
  // If it stops half-way, a decided verdict is kept.
  const decided = isDecided(view.verdict);
  return {
    view: stopped && !decided ? { ...view, verdict: "open" } : view,
    votes,
    stopped: decided ? null : stopped,
  };
}

/** Describes a rejected or vetoed result, a paragraph for each seat or check, for you and for the repair round. */
export function explainVerdict(view: ValidationView): string {
  const failed = view.checks.filter(isBlocking);
  const against = view.seats.filter((seat) => seat.vote !== "approve" && seat.vote !== "pending");
  return [
    ...failed.map(
      (check) =>
        `The check ${check.name} ${outcomeText[check.outcome]} (\`${check.command}\`):\n${check.output.trim()}`,
    ),
    ...against.map(
      (seat) =>
        `${seat.seat}, who ${formatEvidence(seat.evidence)}${seat.peer === undefined ? "" : ` as ${seat.peer}`}, ${words[seat.vote]}: ${seat.reason}`,
    ),
  ].join("\n\n");
}

/** The same as a list. */
export const verdictReasons = (view: ValidationView): readonly string[] =>
  explainVerdict(view)
    .split(/\n{2,}/u)
    .map((reason) => reason.trim())
    .filter((reason) => reason !== "");

const words: Readonly<Record<SeatView["vote"], string>> = {
  pending: "has not voted",
  approve: "approved",
  reject: "rejected",
  abstain: "abstained",
  error: "gave no readable vote",
  "timed-out": "took too long",
  void: "voted on another commit",
};
