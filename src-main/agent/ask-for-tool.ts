/** Asks a model until it answers with the tool that it was asked for. */
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import type { Conversation, TurnEnd } from "./agent-interface.ts";

export interface ToolQuestion<Answer> {
  readonly prompt: PromptText;
  /** Sent when the turn ended without the tool call. */
  readonly reminder: PromptText;
  /** So often it is reminded before there is no answer. */
  readonly reminders: number;
  /** Whether a reminder may help after this. Default: always. */
  readonly isWorthReminder?: (end: TurnEnd) => boolean;
  /** Null: not the expected answer. */
  readonly answerOf: (signal: ToolSignal) => Answer | null;
  readonly signal: AbortSignal;
  /** Waits before every turn until a model may be called: for the user, or for budget. */
  readonly untilAllowed?: () => Promise<void>;
  /**
   * Opens a conversation for the question or resumes the one that was left open. Called before every turn
   * because its tools' settings may have changed.
   */
  readonly open: () => Promise<{ readonly conversation: Conversation; readonly isResumed: boolean }>;
  /** A message to add before it resumes after a gate; null: none. */
  readonly wordOnTheWay?: () => PromptText | null;
  /** The conversation will not be resumed: drop a truncated answer and keep a full window full. */
  readonly close?: () => void;
  /** Called after each turn, however it ended. */
  readonly afterTurn?: () => void;
  /** Whether a closed gate is only this question's own, which `untilAllowed` waits for. Default: no. */
  readonly mayWaitAtGate?: () => boolean;
}

export type ToolAnswer<Answer> =
  | { readonly kind: "answer"; readonly answer: Answer; readonly conversation: Conversation }
  /** The same question can be resumed in the conversation that is left open. */
  | { readonly kind: "stopped"; readonly by: "pause" | "budget" | "aborted" }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "none"; readonly end: Exclude<TurnEnd, { kind: "failed" | "gate" | "aborted" }> };

export async function askForTool<Answer>(question: ToolQuestion<Answer>): Promise<ToolAnswer<Answer>> {
  let reminder: PromptText | null = null;
  // Otherwise it may have answered already without being heard.
  let hasWaited = false;
  for (let wrong = 0; ; ) {
    await question.untilAllowed?.();
    const { conversation, isResumed } = await question.open();
    const word = hasWaited && isResumed && reminder === null ? (question.wordOnTheWay?.() ?? null) : null;
    const words = reminder ?? (isResumed ? word : question.prompt);
    const end = await conversation.run(words, question.signal);
    reminder = null;
    hasWaited = false;
    question.afterTurn?.();
    switch (end.kind) {
      case "gate":
        if (end.gate === "pause" && question.mayWaitAtGate?.()) {
          hasWaited = true;
          continue;
        }
        return { kind: "stopped", by: end.gate };
      case "aborted":
        return { kind: "stopped", by: "aborted" };
      case "failed":
        return { kind: "failed", error: end.error };
      case "signal": {
        const answer = question.answerOf(end.signal);
        if (answer !== null) return { kind: "answer", answer, conversation };
      }
    }
    if (wrong === question.reminders || question.isWorthReminder?.(end) === false)
      return { kind: "none", end };
    wrong += 1;
    if (end.kind === "cut") question.close?.();
    else reminder = question.reminder;
  }
}
