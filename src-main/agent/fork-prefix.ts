import type { ResumeToken } from "./agent-interface.ts";
import { callsOf, createMessageHistory, forkedMessages, messagesOf } from "./message-history.ts";

/** A conversation at its end, and at an earlier number of parts. */
export interface Remembered {
  readonly token: ResumeToken;
  at(length: number): ResumeToken;
}

/** How often the model has answered in it. */
export const answersIn = (token: ResumeToken): number =>
  messagesOf(token).filter(({ role }) => role === "assistant").length;

/**
 * What a conversation knew when it had just answered: every part as it read then, and an answer for the fork alone to
 * each call that was open.
 *
 * @param turn which answer: the one with one of these calls, or the n-th where it called nothing
 * @returns null where the conversation holds no such answer
 */
export function forkPrefix(
  kept: Remembered,
  turn: { readonly nth: number; readonly calls: readonly string[] },
): ResumeToken | null {
  const messages = messagesOf(kept.token);
  const answers = [...messages.entries()].filter(([, { role }]) => role === "assistant");
  const found =
    turn.calls.length === 0
      ? answers[turn.nth - 1]
      : answers.find(([, message]) => callsOf(message).some(({ id }) => turn.calls.includes(id)));
  if (!found) return null;
  return createMessageHistory(forkedMessages(messagesOf(kept.at(found[0] + 1)))).token();
}
