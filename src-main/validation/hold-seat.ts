import { realpath } from "node:fs/promises";
import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation.ts";
import { promptLine } from "#shared/domain/prompt-text.ts";
import type { TurnEnd } from "../agent/agent-interface.ts";
import { createConversation } from "../agent/conversation.ts";
import { afterActiveTime } from "../model/active-time.ts";
import { ModelError } from "../model/model-error.ts";
import { commandTool, readingTools } from "../tools/agent-tools.ts";
import { structuredTool } from "../tools/structured-tool.ts";
import { workspaceFiles } from "../tools/workspace-files.ts";
import type { Seat, SeatPrompt } from "./seat-prompt.ts";
import type { CastVote, ValidationOptions } from "./validation-interface.ts";

export const voteShape = z.strictObject({
  vote: z.enum(["approve", "reject", "abstain"]),
  commit: z.string().min(7).max(64).describe("The id of the commit that you judged, as given in the prompt."),
  reason: z
    .string()
    .min(1)
    .max(4_000)
    .describe("What you looked at and what decided it, in a few sentences."),
});

/** What one holder of a seat came to: a vote, why the whole validation stopped, or what only a person can mend. */
export type Held =
  | { readonly kind: "vote"; readonly vote: CastVote["vote"]; readonly reason: string }
  | { readonly kind: "stopped"; readonly by: "pause" | "budget" | "aborted" }
  | { readonly kind: "refused"; readonly error: ModelError };

const defaultTimeout = 600_000;

/** One judge, in a fresh checkout of its own, with tools that look and run but no way to change the result. */
export async function holdSeat(
  seat: Seat,
  prompt: SeatPrompt,
  options: ValidationOptions,
  replacement: number,
): Promise<Held> {
  const kept = options.openConversation?.(seat.name, `${prompt.hash}/${replacement}`) ?? { history: [] };
  const checkout = await options.checkout(options.commit);
  const limit = options.seatTimeoutMs ?? defaultTimeout;
  const clock = new AbortController();
  // What the provider makes everybody wait for is no time of the seat's.
  const stopTimer = afterActiveTime(limit, options.driver.scheduler, () => clock.abort());
  const signal = AbortSignal.any([options.signal, clock.signal]);
  try {
    const workspace = await realpath(checkout.folder);
    const conversation = createConversation({
      driver: options.driver,
      model: options.model,
      system: prompt.system,
      tools: [
        ...readingTools(),
        commandTool(),
        structuredTool(
          "cast_vote",
          "Casts your one vote and ends your work. It cannot be taken back.",
          voteShape,
        ),
      ],
      toolContext: {
        workspace,
        agent: seat.name,
        signal,
        files: workspaceFiles({ workspace, protectedFiles: [] }),
        sandbox: options.sandbox,
        environment: { HOX_WORKER: seat.name },
        redact: options.redact,
      },
      requester: `${options.run}/${seat.name}`,
      maxTokens: options.maxTokens ?? 8_000,
      effort: options.effort,
      ...(options.compactAt === undefined ? {} : { compactAt: options.compactAt }),
      maxTurns: options.maxTurns ?? 30,
      gate: options.gate,
      onEntry: (entry: ConversationEntry) => options.onEntry(seat.name, entry),
      onSpent: (spent, model) => options.onSpent(seat.name, spent, model),
      price: options.price,
      ...kept,
    });
    let end = await conversation.run(kept.history.length > 0 ? null : prompt.prompt, signal);
    if (end.kind === "ended") {
      end = await conversation.run(
        promptLine`You have not voted. Call cast_vote now; without it your seat has no vote.`,
        signal,
      );
    }
    return heldBy(end, options, clock.signal.aborted, limit);
  } finally {
    stopTimer();
    await removeOrTell(checkout.remove, seat, options);
  }
}

function heldBy(end: TurnEnd, options: ValidationOptions, late: boolean, limit: number): Held {
  const lost = (vote: "error" | "timed-out", reason: string): Held => ({ kind: "vote", vote, reason });
  switch (end.kind) {
    case "signal": {
      const parsed = end.signal.kind === "structured" ? voteShape.safeParse(end.signal.value) : null;
      if (!parsed?.success) return lost("error", "Its vote could not be read.");
      const { vote, commit, reason } = parsed.data;
      if (!options.commit.startsWith(commit)) {
        return {
          kind: "vote",
          vote: "void",
          reason: `Voted on ${commit.slice(0, 12)}, which is another commit: ${reason}`,
        };
      }
      return { kind: "vote", vote, reason };
    }
    case "gate":
      return { kind: "stopped", by: end.gate };
    case "aborted":
      return options.signal.aborted || !late
        ? { kind: "stopped", by: "aborted" }
        : lost("timed-out", `No vote within ${Math.round(limit / 1000)} seconds.`);
    case "ended":
      return lost("error", "It ended without a vote.");
    case "turn-limit":
      return lost("error", "It used up its turns without a vote.");
    case "loop":
      return lost("error", "It went round in circles without a vote.");
    case "cut":
      return lost(
        "error",
        end.reason === "max_tokens" ? "Its answer was cut." : "Its context window was full.",
      );
    case "refused":
      return lost("error", `It refused to answer${end.text ? `: ${end.text}` : ""}.`);
    case "failed":
      return end.error instanceof ModelError && ["at-once", "shorter"].includes(end.error.course)
        ? { kind: "refused", error: end.error }
        : lost("error", end.error.message);
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
    options.onEntry(seat.name, { kind: "notice", text: `Its checkout could not be removed: ${reason}` });
  }
}
