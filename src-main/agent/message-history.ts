import type { AssistantBlock, ModelMessage, UserBlock } from "../model/driver-interface.ts";
import type { ResumeToken } from "./agent-interface.ts";

/** The driver's name for conversations whose messages Hox stores. */
export const messageDriver = "hox";

/** The messages of one conversation, and what is stored of them: a part for each, written once for as long as it stays. */
export type MessageHistory = ReturnType<typeof createMessageHistory>;

export function createMessageHistory(start: readonly ModelMessage[] = []) {
  const messages = [...start];
  const parts = new WeakMap<ModelMessage, string>();
  const partOf = (message: ModelMessage): string => {
    const known = parts.get(message) ?? JSON.stringify(message);
    parts.set(message, known);
    return known;
  };
  return {
    messages,
    token: (): ResumeToken => ({ driver: messageDriver, parts: messages.map(partOf) }),
    add(message: ModelMessage): void {
      messages.push(message);
    },
    /** Text goes into a user message that still waits for its answer: the wire wants the roles in turn. */
    append(...blocks: readonly UserBlock[]): void {
      const last = messages.at(-1);
      if (last?.role === "user")
        messages[messages.length - 1] = { role: "user", content: [...last.content, ...blocks] };
      else messages.push({ role: "user", content: blocks });
    },
    /** Puts shorter messages into the places of these. */
    replace(shorter: readonly ModelMessage[]): void {
      messages.splice(0, messages.length, ...shorter);
    },
  };
}

/** @throws Error where another driver wrote the token */
export function messagesOf(token: ResumeToken): readonly ModelMessage[] {
  if (token.driver !== messageDriver)
    throw new Error(`A conversation of ${token.driver} cannot be read as messages of ${messageDriver}.`);
  return token.parts.map((part) => JSON.parse(part) as ModelMessage);
}

/**
 * What a fork begins with: every message of its origin as it is. Calls that its origin has not heard of yet are answered
 * for the fork alone, because the wire takes no call without a result.
 */
export function forkedMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const open = callsOf(messages.at(-1));
  if (open.length === 0) return messages;
  return [
    ...messages,
    {
      role: "user",
      content: open.map(({ id }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: "[The conversation that you were forked from has this call carried out. It is not yours.]",
        is_error: false,
      })),
    },
  ];
}

/** The calls of an answer. */
export function callsOf(
  message: ModelMessage | undefined,
): readonly Extract<AssistantBlock, { type: "tool_use" }>[] {
  if (message?.role !== "assistant") return [];
  return message.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
}

/** How much of a window a message takes, in characters; a picture counts as the tokens it costs would. */
export const sizeOf = (message: ModelMessage): number =>
  (message.content as readonly (AssistantBlock | UserBlock)[]).reduce(
    (sum, block) => sum + blockSize(block),
    0,
  );

/** About 1,600 tokens, the most that a picture costs. */
const imageSize = 5_000;

function blockSize(block: AssistantBlock | UserBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      return block.thinking.length + block.signature.length;
    case "redacted_thinking":
      return block.data.length;
    case "tool_use":
      return JSON.stringify(block.input).length + block.name.length;
    case "tool_result":
      return typeof block.content === "string"
        ? block.content.length
        : block.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : imageSize), 0);
  }
}

/** A conversation at its end, and at an earlier number of parts. */
interface Remembered {
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
