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
  const whole = messages.reduce((sum, one) => sum + sizeOf(one), 0);
  const now = [...messages];
  const count: LeftOutCount = { results: new Map(), inputs: 0, answers: 0, prompts: 0, images: 0 };
  const size = shortenInOrder(now, whole, most, waysToShorten(count, toolsByCall(messages), keeps));
  if (size === whole) return null;
  return {
    messages: now,
    leftOut: { ...count, results: Object.fromEntries(count.results), characters: whole - size },
  };
}

/** Shorter ones would hardly become shorter. */
const worthwhile = 400;
/**
 * The ways to shorten one message; what is left out is counted. The newest results and old events are cut in
 * the middle.
 */
const cutTo = 1_600;

interface LeftOutCount {
  readonly results: Map<string, number>;
  inputs: number;
  answers: number;
  prompts: number;
  images: number;
}

type Shorten = (message: ModelMessage) => ModelMessage;

/** @param toolOf the tool's name by call id */
const shortenResults =
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
const shortenAnswers =
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
const shortenInputs =
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

const shortenPrompts =
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

/** The last resort: a prompt keeps its beginning and its end. */
function cutPrompt(message: ModelMessage, most: number): ModelMessage {
  if (message.role === "assistant") return message;
  return {
    role: "user",
    content: message.content.map((block) =>
      block.type === "text" ? { ...block, text: cutMiddle(block.text, most) } : block,
    ),
  };
}

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

type WaysToShorten = ReturnType<typeof waysToShorten>;

function waysToShorten(
  count: LeftOutCount,
  tools: ReadonlyMap<string, string>,
  keeps: (tool: string) => boolean,
) {
  return {
    results: shortenResults(count, tools, firstLineOf),
    resultsTo: (most: number) => shortenResults(count, tools, (text) => cutMiddle(text, most)),
    inputs: shortenInputs(count, keeps),
    answers: shortenAnswers(count),
    prompts: shortenPrompts(count),
  };
}

/**
 * Shortens in place, what is missed least before the rest, until the messages fit.
 *
 * @param whole characters that they have
 * @returns characters that they have then
 */
function shortenInOrder(now: ModelMessage[], whole: number, most: number, ways: WaysToShorten): number {
  let size = whole;
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
  const last = now.length - 1;
  const old = Math.max(0, now.length - newest);
  changeEach(0, old, ways.results);
  changeEach(0, old, ways.inputs);
  changeEach(0, old, ways.answers);
  // The first is the task.
  changeEach(1, old, ways.prompts);
  changeEach(old, last, ways.results);
  changeEach(old, last, ways.inputs);
  change(last, ways.resultsTo(cutTo * 4));
  changeEach(Math.max(1, old), last, ways.prompts);
  change(last, ways.resultsTo(cutTo));
  // Nothing else is left.
  for (const at of [last, 0])
    change(at, (message) => cutPrompt(message, Math.max(cutTo, sizeOf(message) - (size - most) - 100)));
  return size;
}

/** Describes what was left out, for the transcript. */
export function formatOmissions({ results, inputs, answers, prompts, images }: LeftOut): string {
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
