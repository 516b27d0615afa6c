import { z } from "zod";
import { withLines } from "#shared/domain/merge-request/line-remark.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import type { Seat } from "#shared/domain/validation/panel.ts";
import { askForTool, type ToolAnswer } from "../agent/ask-for-tool.ts";
import { afterActiveTime } from "../model/active-time.ts";
import { ModelError } from "../model/model-error.ts";
import { commandTool, erase, readingTools } from "../tools/agent-tools.ts";
import { filesOfCheckout, judgingTool, lineRemarksInput, remarksOnLines } from "../tools/line-remarks.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import type { SeatPrompt } from "./seat-prompt.ts";
import type { CastVote, ValidationOptions } from "./validation-interface.ts";

const voteShape = z.strictObject({
  vote: z.enum(["approve", "reject", "abstain"]),
  commit: z.string().min(7).max(64).describe("The id of the commit that you judged, as given in the prompt."),
  reason: z
    .string()
    .min(1)
    .max(4_000)
    .describe("What you looked at and what decided it, in a few sentences."),
  lines: lineRemarksInput,
});

const heardShape = z.object({
  ...{ vote: voteShape.shape.vote, commit: z.string(), reason: z.string(), lines: remarksOnLines },
});

/** What a seat says. */
export type SeatBallot = Pick<CastVote, "vote" | "reason" | "lines">;

/** What one holder of a seat came to: a vote, why the whole validation stopped, or what only a person can mend. */
export type Held =
  | ({ readonly kind: "vote" } & SeatBallot)
  | { readonly kind: "stopped"; readonly by: "pause" | "budget" | "aborted" }
  | { readonly kind: "refused"; readonly error: ModelError };

const defaultTimeout = 600_000;

/** One judge, in a fresh checkout of its own, with tools that look and run but no way to change the result. */
export async function judgeSeat(
  seat: Seat,
  prompt: SeatPrompt,
  options: ValidationOptions,
  replacement: number,
): Promise<Held> {
  const checkout = await options.checkout();
  const limit = options.seatTimeoutMs ?? defaultTimeout;
  const clock = new AbortController();
  // What the provider makes everybody wait for is no time of the seat's.
  const stopTimer = afterActiveTime(limit, options.scheduler, () => clock.abort());
  try {
    const tools = [
      ...readingTools(),
      commandTool(options),
      erase(
        judgingTool(
          "cast_vote",
          "Casts your one vote and ends your work. Use it when you have looked at everything: it is final.",
          voteShape,
          (context) => filesOfCheckout(options.commit, context),
        ),
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
    return heldBy(asked, options, clock.signal.aborted, limit);
  } finally {
    stopTimer();
    await removeOrTell(checkout.remove, seat, options);
  }
}

function heldBy(
  asked: ToolAnswer<Extract<ToolSignal, { kind: "structured" }>>,
  options: ValidationOptions,
  isLate: boolean,
  limit: number,
): Held {
  const lost = (vote: "error" | "timed-out", reason: string): Held => ({ kind: "vote", vote, reason });
  const late = lost("timed-out", `No vote within ${formatDuration(limit)}.`);
  switch (asked.kind) {
    case "answer": {
      // Said while the clock took its seat away.
      if (isLate) return late;
      const parsed = heardShape.safeParse(asked.answer.value);
      return parsed.success ? voteFor(parsed.data, options) : lost("error", "Its vote could not be read.");
    }
    case "stopped":
      return asked.by === "aborted" && isLate && !options.signal.aborted
        ? late
        : { kind: "stopped", by: asked.by };
    case "failed":
      return asked.error instanceof ModelError && ["at-once", "shorter"].includes(asked.error.course)
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
): Held =>
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

/** A checkout that stays behind costs disk, not correctness: it is told and does not take the vote away. */
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
