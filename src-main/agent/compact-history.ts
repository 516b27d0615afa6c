/**
 * Makes room in a conversation that would outgrow its model's window. Reproducible content is removed first,
 * oldest first. Messages keep their order and calls keep their results, so the history stays valid and a
 * store writes only what became shorter. The task (the first message) and signals are removed last.
 */

import { startOf, withoutMiddle } from "#shared/domain/text/cut-text.ts";
import type { AssistantBlock, ModelMessage } from "../model/driver-interface.ts";
import { hashInOutput } from "../tools/file-listing.ts";
import { sizeOf } from "./message-history.ts";

/** Messages at the end that are left as they are for as long as the others suffice. */
const newest = 8;

/**
 * @param most characters that the messages may have afterwards
 * @param keeps whether a call of that tool is what was decided and not how
 * @returns the messages, and how many of them are shorter; null where nothing could be left out
 */
export function compactHistory(
  messages: readonly ModelMessage[],
  most: number,
  keeps: (tool: string) => boolean,
): { readonly messages: readonly ModelMessage[]; readonly shortened: number } | null {
  const now = [...messages];
  shortenInOrder(now, most, toolsByCall(messages), keeps);
  const shortened = now.filter((message, at) => message !== messages[at]).length;
  return shortened === 0 ? null : { messages: now, shortened };
}

/** Shorter ones would hardly become shorter. */
const worthwhile = 400;
/** The newest results and old events are cut in the middle. */
const cutTo = 1_600;

type Shorten = (message: ModelMessage) => ModelMessage;

/** @param toolOf the tool's name by call id */
const shortenResults =
  (toolOf: ReadonlyMap<string, string>, shorten: (text: string, tool: string) => string): Shorten =>
  (message) => {
    if (message.role === "assistant") return message;
    return {
      role: "user",
      content: message.content.map((block) => {
        if (block.type !== "tool_result") return block;
        const tool = toolOf.get(block.tool_use_id) ?? "";
        if (typeof block.content !== "string")
          return { ...block, content: `${startOf(textIn(block.content), 200)}\n${callAgain(0, tool)}` };
        const short = shorten(block.content, tool);
        return short.length >= block.content.length ? block : { ...block, content: short };
      }),
    };
  };

/** Leaves thoughts out, and of long words all but their beginning. */
const shortenAnswer: Shorten = (message) => {
  if (message.role === "user") return message;
  const content = message.content.flatMap((block): readonly AssistantBlock[] => {
    if (block.type === "thinking" || block.type === "redacted_thinking") return [];
    if (block.type === "text" && block.text.length > worthwhile)
      return [{ type: "text", text: `${startOf(block.text, 200)}\n[the rest is left out]` }];
    return [block];
  });
  return {
    role: "assistant",
    content: content.length > 0 ? content : [{ type: "text", text: "[left out]" }],
  };
};

/** @param keeps whether a call of that tool stays as it is */
const shortenInputs =
  (keeps: (tool: string) => boolean): Shorten =>
  (message) =>
    message.role === "user"
      ? message
      : {
          role: "assistant",
          content: message.content.map((block) =>
            block.type !== "tool_use" || keeps(block.name)
              ? block
              : { ...block, input: shortInput(block.input) },
          ),
        };

/** Prompts keep their beginning and their end. */
const shortenPrompts =
  (most: number): Shorten =>
  (message) =>
    message.role === "assistant"
      ? message
      : {
          role: "user",
          content: message.content.map((block) =>
            block.type === "text" && block.text.length > most
              ? { ...block, text: cutMiddle(block.text, most) }
              : block,
          ),
        };

/** Keeps the beginning and the end, and says between them how much is missing. */
const cutMiddle = (text: string, most: number): string =>
  withoutMiddle(text, most, (characters) => `\n[${characters} characters are left out to make room]\n`);

/** The first line of a file's text says which version was read, and edits ask for that. */
function firstLineOf(text: string, tool: string): string {
  if (text.length <= worthwhile) return text;
  const end = text.indexOf("\n");
  const first = hashInOutput(text) !== null && end > 0 ? text.slice(0, end) : startOf(text, 200);
  return `${first}\n${callAgain(text.length - first.length, tool)}`;
}

const textIn = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");

const callAgain = (characters: number, tool: string): string =>
  `[left out to make room${characters > 0 ? `: ${characters} characters` : ""}; call ${tool || "the tool"} again if it matters]`;

/** Long texts in an input become short ones; what it is about stays. */
function shortInput(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  if (!Object.values(input).some((value) => typeof value === "string" && value.length > worthwhile))
    return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > worthwhile
        ? `${startOf(value, 200)}\n[${value.length - 200} more characters were written here]`
        : value,
    ]),
  );
}

function toolsByCall(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const tools = new Map<string, string>();
  for (const { content } of messages)
    for (const block of content) if (block.type === "tool_use") tools.set(block.id, block.name);
  return tools;
}

/** Shortens in place, what is missed least before the rest, until the messages fit. */
function shortenInOrder(
  now: ModelMessage[],
  most: number,
  tools: ReadonlyMap<string, string>,
  keeps: (tool: string) => boolean,
): void {
  let size = now.reduce((sum, one) => sum + sizeOf(one), 0);
  const change = (at: number, shorten: Shorten): void => {
    const old = now[at];
    if (old === undefined || size <= most) return;
    const short = shorten(old);
    const less = sizeOf(old) - sizeOf(short);
    if (less <= 0) return;
    now[at] = short;
    size -= less;
  };
  const changeEach = (from: number, to: number, shorten: Shorten): void => {
    for (let at = from; at < to; at++) change(at, shorten);
  };
  const results = shortenResults(tools, firstLineOf);
  const resultsTo = (length: number) => shortenResults(tools, (text) => cutMiddle(text, length));
  const last = now.length - 1;
  const old = Math.max(0, now.length - newest);
  changeEach(0, old, results);
  changeEach(0, old, shortenInputs(keeps));
  changeEach(0, old, shortenAnswer);
  // The first is the task.
  changeEach(1, old, shortenPrompts(cutTo));
  changeEach(old, last, results);
  changeEach(old, last, shortenInputs(keeps));
  change(last, resultsTo(cutTo * 4));
  changeEach(Math.max(1, old), last, shortenPrompts(cutTo));
  change(last, resultsTo(cutTo));
  // Nothing else is left.
  for (const at of [last, 0])
    change(at, (message) => shortenPrompts(Math.max(cutTo, sizeOf(message) - (size - most) - 100))(message));
}
