/**
 * Makes room in a conversation that would outgrow its model's window. What can be had again goes first, the oldest before
 * the newest; messages keep their places and calls their results, so that the wire takes what is left, and whoever stores
 * them writes only what became shorter. The task, which is the first message, and signals, which are what was decided,
 * stay to the last.
 */
import { startOf, withoutMiddle } from "#shared/domain/text/cut-text.ts";
import type { AssistantBlock, ModelMessage, UserBlock } from "../model/driver-interface.ts";
import { hashInOutput } from "../tools/file-output.ts";

/** Messages at the end that are left as they are for as long as the others suffice. */
const newest = 8;
/** Shorter ones would hardly become shorter. */
const worthwhile = 400;
/** Of what is cut in its middle: the newest results, and events of long ago. */
const cutTo = 1_600;

export interface LeftOut {
  /** Results of tools, by the tool's name. */
  readonly results: Readonly<Record<string, number>>;
  /** Inputs of calls. */
  readonly inputs: number;
  /** Answers whose thinking or words were shortened. */
  readonly answers: number;
  /** Prompts and events. */
  readonly prompts: number;
  readonly images: number;
  readonly characters: number;
}

export interface Compacted {
  readonly messages: readonly ModelMessage[];
  readonly leftOut: LeftOut;
}

/** How much of a window a message takes, in characters; a picture counts as the tokens it costs would. */
export const sizeOf = (message: ModelMessage): number =>
  (message.content as readonly (AssistantBlock | UserBlock)[]).reduce(
    (sum, block) => sum + blockSize(block),
    0,
  );

/** About 1,600 tokens, the most that a picture costs. */
export const imageSize = 5_000;

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

/**
 * @param most characters that the messages may have afterwards
 * @param keeps whether a call of that tool is what was decided and not how
 * @returns null where nothing could be left out
 */
export function compactHistory(
  messages: readonly ModelMessage[],
  most: number,
  keeps: (tool: string) => boolean,
): Compacted | null {
  const before = messages.map(sizeOf);
  let size = before.reduce((sum, one) => sum + one, 0);
  const whole = size;
  const now = [...messages];
  const tools = new Map<string, string>();
  for (const { content } of messages)
    for (const block of content) if (block.type === "tool_use") tools.set(block.id, block.name);
  const count = { results: new Map<string, number>(), inputs: 0, answers: 0, prompts: 0, images: 0 };

  const change = (at: number, shorten: (message: ModelMessage) => ModelMessage): void => {
    const old = now[at];
    if (old === undefined || size <= most) return;
    const short = shorten(old);
    const less = sizeOf(old) - sizeOf(short);
    if (less <= 0) return;
    now[at] = short;
    size -= less;
  };
  const results =
    (shorten: (text: string, tool: string) => string) =>
    (message: ModelMessage): ModelMessage => {
      if (message.role === "assistant") return message;
      return {
        role: "user",
        content: message.content.map((block) => {
          if (block.type !== "tool_result") return block;
          const tool = tools.get(block.tool_use_id) ?? "";
          const isPicture = typeof block.content !== "string";
          const text = isPicture ? textIn(block.content) : block.content;
          const short = isPicture ? `${startOf(text, 200)}\n${again(0, tool)}` : shorten(text, tool);
          if (!isPicture && short.length >= text.length) return block;
          if (isPicture) count.images += 1;
          else count.results.set(tool, (count.results.get(tool) ?? 0) + 1);
          return { ...block, content: short };
        }),
      };
    };
  const answers = (message: ModelMessage): ModelMessage => {
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
  const inputs = (message: ModelMessage): ModelMessage => {
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
  const prompts = (message: ModelMessage): ModelMessage => {
    if (message.role === "assistant") return message;
    return {
      role: "user",
      content: message.content.map((block) => {
        if (block.type !== "text" || block.text.length <= cutTo) return block;
        count.prompts += 1;
        return { ...block, text: withoutMiddle(block.text, cutTo, leftOutLine) };
      }),
    };
  };

  const last = now.length - 1;
  const old = Math.max(0, now.length - newest);
  for (let at = 0; at < old; at++) change(at, results(lineFor));
  for (let at = 0; at < old; at++) change(at, inputs);
  for (let at = 0; at < old; at++) change(at, answers);
  // The first is the task.
  for (let at = 1; at < old; at++) change(at, prompts);
  for (let at = old; at < last; at++) change(at, results(lineFor));
  for (let at = old; at < last; at++) change(at, inputs);
  change(
    last,
    results((text) => withoutMiddle(text, cutTo * 4, leftOutLine)),
  );
  for (let at = Math.max(1, old); at < last; at++) change(at, prompts);
  change(
    last,
    results((text) => withoutMiddle(text, cutTo, leftOutLine)),
  );
  // Nothing else is left: what was asked keeps its beginning and its end.
  for (const at of [last, 0])
    change(at, (message) => cutPrompt(message, Math.max(cutTo, sizeOf(message) - (size - most) - 100)));
  if (size === whole) return null;
  return {
    messages: now,
    leftOut: {
      results: Object.fromEntries(count.results),
      inputs: count.inputs,
      answers: count.answers,
      prompts: count.prompts,
      images: count.images,
      characters: whole - size,
    },
  };
}

const textIn = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");

const leftOutLine = (characters: number): string =>
  `\n[${characters} characters are left out to make room]\n`;

const again = (characters: number, tool: string): string =>
  `[left out to make room${characters > 0 ? `: ${characters} characters` : ""}; call ${tool || "the tool"} again if it matters]`;

/** The first line of a file's text says which version was read, and edits ask for that. */
function lineFor(text: string, tool: string): string {
  if (text.length <= worthwhile) return text;
  const end = text.indexOf("\n");
  const first = hashInOutput(text) !== null && end > 0 ? text.slice(0, end) : startOf(text, 200);
  return `${first}\n${again(text.length - first.length, tool)}`;
}

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

function cutPrompt(message: ModelMessage, most: number): ModelMessage {
  if (message.role === "assistant") return message;
  return {
    role: "user",
    content: message.content.map((block) =>
      block.type === "text" ? { ...block, text: withoutMiddle(block.text, most, leftOutLine) } : block,
    ),
  };
}

/** What was left out, for the transcript. */
export function leftOutWords({ results, inputs, answers, prompts, images }: LeftOut): string {
  const sum = Object.values(results).reduce((one, other) => one + other, 0);
  const byTool = Object.entries(results)
    .map(([tool, count]) => `${tool} ${count}`)
    .join(", ");
  return [
    ...(sum > 0 ? [`${sum} ${sum === 1 ? "result" : "results"} of tools (${byTool})`] : []),
    ...(images > 0 ? [`${images} ${images === 1 ? "picture" : "pictures"}`] : []),
    ...(inputs > 0 ? [`what ${inputs} ${inputs === 1 ? "call" : "calls"} wrote`] : []),
    ...(answers > 0 ? [`thoughts of ${answers} ${answers === 1 ? "answer" : "answers"}`] : []),
    ...(prompts > 0 ? [`the middle of ${prompts} earlier ${prompts === 1 ? "prompt" : "prompts"}`] : []),
  ].join("; ");
}
