/** The ways in which one message becomes shorter; what was left out on the way is counted. */
import { startOf, withoutMiddle } from "#shared/domain/text/cut-text.ts";
import type { AssistantBlock, ModelMessage } from "../model/driver-interface.ts";
import { hashInOutput } from "../tools/file-output.ts";

/** Shorter ones would hardly become shorter. */
const worthwhile = 400;
/** Of what is cut in its middle: the newest results, and events of long ago. */
export const cutTo = 1_600;

export interface LeftOutCount {
  readonly results: Map<string, number>;
  inputs: number;
  answers: number;
  prompts: number;
  images: number;
}

export type Shorten = (message: ModelMessage) => ModelMessage;

/** @param toolOf the name of the tool that a call's id stands for */
export const shortenResults =
  (
    count: LeftOutCount,
    toolOf: ReadonlyMap<string, string>,
    shorten: (text: string, tool: string) => string,
  ): Shorten =>
  (message) => {
    if (message.role === "assistant") return message;
    return {
      role: "user",
      content: message.content.map((block) => {
        if (block.type !== "tool_result") return block;
        const tool = toolOf.get(block.tool_use_id) ?? "";
        const isPicture = typeof block.content !== "string";
        const text = isPicture ? textIn(block.content) : block.content;
        const short = isPicture ? `${startOf(text, 200)}\n${callAgain(0, tool)}` : shorten(text, tool);
        if (!isPicture && short.length >= text.length) return block;
        if (isPicture) count.images += 1;
        else count.results.set(tool, (count.results.get(tool) ?? 0) + 1);
        return { ...block, content: short };
      }),
    };
  };

/** Leaves thoughts out, and of long words all but their beginning. */
export const shortenAnswers =
  (count: LeftOutCount): Shorten =>
  (message) => {
    if (message.role === "user") return message;
    const content = message.content.flatMap((block): readonly AssistantBlock[] => {
      if (block.type === "thinking" || block.type === "redacted_thinking") return [];
      if (block.type === "text" && block.text.length > worthwhile)
        return [{ type: "text", text: `${startOf(block.text, 200)}\n[the rest is left out]` }];
      return [block];
    });
    count.answers += 1;
    return {
      role: "assistant",
      content: content.length > 0 ? content : [{ type: "text", text: "[left out]" }],
    };
  };

/** @param keeps whether a call of that tool stays as it is */
export const shortenInputs =
  (count: LeftOutCount, keeps: (tool: string) => boolean): Shorten =>
  (message) => {
    if (message.role === "user") return message;
    return {
      role: "assistant",
      content: message.content.map((block) => {
        if (block.type !== "tool_use" || keeps(block.name)) return block;
        const input = shortInput(block.input);
        if (input === block.input) return block;
        count.inputs += 1;
        return { ...block, input };
      }),
    };
  };

export const shortenPrompts =
  (count: LeftOutCount): Shorten =>
  (message) => {
    if (message.role === "assistant") return message;
    return {
      role: "user",
      content: message.content.map((block) => {
        if (block.type !== "text" || block.text.length <= cutTo) return block;
        count.prompts += 1;
        return { ...block, text: cutMiddle(block.text, cutTo) };
      }),
    };
  };

/** The last resort: what was asked keeps its beginning and its end. */
export function cutPrompt(message: ModelMessage, most: number): ModelMessage {
  if (message.role === "assistant") return message;
  return {
    role: "user",
    content: message.content.map((block) =>
      block.type === "text" ? { ...block, text: cutMiddle(block.text, most) } : block,
    ),
  };
}

/** Keeps the beginning and the end, and says between them how much is missing. */
export const cutMiddle = (text: string, most: number): string =>
  withoutMiddle(text, most, (characters) => `\n[${characters} characters are left out to make room]\n`);

/** The first line of a file's text says which version was read, and edits ask for that. */
export function firstLineOf(text: string, tool: string): string {
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
