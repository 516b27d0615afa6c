/**
 * Makes room in a conversation that would outgrow its model's window. What can be had again goes first, the oldest before
 * the newest; messages keep their places and calls their results, so that the wire takes what is left, and whoever stores
 * them writes only what became shorter. The task, which is the first message, and signals, which are what was decided,
 * stay to the last.
 */
import type { ModelMessage } from "../model/driver-interface.ts";
import { sizeOf } from "./message-size.ts";
import {
  cutMiddle,
  cutPrompt,
  cutTo,
  firstLineOf,
  type LeftOutCount,
  type Shorten,
  shortenAnswers,
  shortenInputs,
  shortenPrompts,
  shortenResults,
} from "./shorten-message.ts";

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

/** What was left out, for the transcript. */
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
