import { fullPercent } from "#shared/domain/spending/budget.ts";
import { contextTokens, type Spent, type Usage } from "#shared/domain/spending/usage.ts";
import { startOf, withoutMiddle } from "#shared/domain/text/format-text.ts";
import {
  type AssistantBlock,
  type ModelAnswer,
  type ModelMessage,
  resultText,
  type ToolSchema,
  type UserBlock,
} from "../model/driver-interface.ts";
import { ModelError } from "../model/model-error.ts";
import { hashInOutput } from "../tools/file-listing.ts";
import type { ModelConversationOptions } from "./agent-interface.ts";
import { measuredRequest } from "./measured.ts";
import { type MessageHistory, sizeOf } from "./message-history.ts";

/** So often is a request shortened that is refused for its length. */
const compactions = 6;
/** Estimate before the first answer. Code has more tokens than prose. */
const tokensPerCharacter = 1 / 3;
/** Target size of a compacted conversation: compacting loses the cache, so it should not repeat soon. */
const compactTo = 0.5;
/** Minimum share of the window for the conversation, after system prompt and tools. */
const minShare = 0.2;

/** A message to a model in the middle of a turn. Scripted models do not treat it as a prompt. */
export const note = (text: string): UserBlock => ({ type: "text", text: `[NOTE] ${text}` });

/** One conversation and the window of its model: what is known of how much fits. */
export interface ContextWindow {
  readonly options: ModelConversationOptions;
  readonly history: MessageHistory;
  readonly tools: readonly ToolSchema[];
  readonly redact: (text: string) => string;
  /** Characters of the system prompt and the tools. */
  readonly fixedSize: number;
  /** Longest answer that is asked for; grows where one was cut. */
  answerLimit: number;
  perCharacter: number;
  hasWarned: boolean;
}

export const contextWindow = (
  given: Pick<ContextWindow, "options" | "history" | "tools" | "redact">,
): ContextWindow => ({
  ...given,
  fixedSize: given.options.system.length + JSON.stringify(given.tools).length,
  answerLimit: given.options.maxTokens,
  perCharacter: tokensPerCharacter,
  hasWarned: false,
});

/** A conversation that has grown less than this since its task began would fill up again at once. */
const minGrowth = 0.2;

const sizeOfWindow = ({ options }: ContextWindow): number => options.driver.contextWindow(options.model);

const characters = ({ history, fixedSize }: ContextWindow): number =>
  history.messages.reduce((sum, message) => sum + sizeOf(message), fixedSize);

/** Question and answer have to fit into one window. */
const maxOutputTokens = (context: ContextWindow): number => {
  const { driver, model } = context.options;
  return Math.min(context.answerLimit, driver.maxOutputTokens(model), Math.floor(sizeOfWindow(context) / 2));
};

/**
 * How many percent of its window a conversation fills that should make room for a fresh one; null for any other. Known
 * once something was answered. (PLAN-4)
 */
export function staleAt(context: ContextWindow): number | null {
  const { options, history, perCharacter } = context;
  const window = sizeOfWindow(context);
  const [task] = history.messages;
  if (options.freshContextAt === undefined || window <= 0 || task === undefined) return null;
  const share = (characters(context) * perCharacter) / window;
  const atFirst = ((context.fixedSize + sizeOf(task)) * perCharacter) / window;
  return share >= options.freshContextAt && share - atFirst >= minGrowth ? Math.floor(share * 100) : null;
}

/** Share of the window from which on old parts of a conversation are left out. */
const compactAt = 0.75;

/** Asks with a conversation that fits, and makes it shorter where the provider says that it does not. */
export async function askInWindow(
  context: ContextWindow,
  signal: AbortSignal,
): Promise<ModelAnswer | "full"> {
  const size = sizeOfWindow(context);
  const fixed = context.fixedSize;
  const room = Math.min(size * compactAt, size - maxOutputTokens(context));
  // However much system and tools take of a small window: a conversation of nothing leads nowhere.
  const least = size * minShare;
  if (characters(context) * context.perCharacter > room)
    makeRoom(
      context,
      Math.max(room * compactTo - fixed * context.perCharacter, least) / context.perCharacter,
    );
  for (let times = 0; ; times++) {
    try {
      const answer = await ask(context, signal);
      if (answer.stopReason !== "model_context_window_exceeded") return answer;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const isPicture = error.kind === "invalid-request" && /image/iu.test(error.message);
      if (isPicture && leaveOutPictures(context, error.message)) continue;
      if (error.recovery !== "shorter") throw error;
      if (times >= compactions || !makeRoom(context, (characters(context) - fixed) * compactTo)) throw error;
      continue;
    }
    if (times >= compactions || !makeRoom(context, (characters(context) - fixed) * compactTo)) return "full";
  }
}

async function ask(context: ContextWindow, signal: AbortSignal): Promise<ModelAnswer> {
  const { options, history, tools } = context;
  const { onEntry, onSpent, model } = options;
  return measuredRequest(options, () =>
    options.driver.stream(
      {
        model,
        maxTokens: maxOutputTokens(context),
        effort: options.effort,
        cachedFor: options.cachedFor?.(),
        system: options.system,
        tools,
        messages: [...history.messages],
        requester: options.requester,
        leaves: () => options.gate() !== null,
      },
      {
        text: (text) => onEntry({ kind: "text", text }),
        thinking: (text) => onEntry({ kind: "thinking", text }),
        retry: (reason, attempt, waitMs) => onEntry({ kind: "retry", reason, attempt, waitMs }),
        usage(usage) {
          const spent = spentOn(usage, options.price(usage, model));
          onSpent(spent, model);
          onEntry({ kind: "usage", usage, microDollars: spent.microDollars, model });
          learnFrom(context, usage);
        },
      },
      signal,
    ),
  );
}

const spentOn = (usage: Usage, microDollars: number): Spent => ({ usage, microDollars, requests: 1 });

/** Updates the cost per character, and warns once when the window is nearly full. */
function learnFrom(context: ContextWindow, usage: Usage): void {
  const { onEntry, model } = context.options;
  if (contextTokens(usage) > 0)
    context.perCharacter = contextTokens(usage) / Math.max(1, characters(context));
  const percent = fullPercent(contextTokens(usage), sizeOfWindow(context));
  if (context.hasWarned || percent === null) return;
  context.hasWarned = true;
  onEntry({ kind: "notice", text: `${percent} % of the context window of ${model} used.` });
}

/** Leaves out of the conversation what can be had again; false where nothing is left that could go. */
function makeRoom(context: ContextWindow, most: number): boolean {
  const { options, history, redact } = context;
  const decides = new Set(options.tools.filter((tool) => tool.onlySignals).map((tool) => tool.name));
  const before = Math.round(characters(context) * context.perCharacter);
  const short = compactHistory(history.messages, most, (tool) => decides.has(tool));
  if (short === null) return false;
  history.replace(short.messages);
  const keeps = options.keeps?.() ?? "";
  if (keeps !== "")
    history.append(note(`Earlier parts of this conversation are left out. Still valid:\n\n${redact(keeps)}`));
  options.onEntry({
    kind: "notice",
    text: `About ${before.toLocaleString("en-US")} of ${sizeOfWindow(context).toLocaleString("en-US")} tokens were in use, so parts of the conversation are left out from here on: ${short.shortened} ${short.shortened === 1 ? "message is" : "messages are"} shorter. Task, decisions and the newest steps stay; files and outputs can be read again.`,
  });
  options.onTurn?.(history.token());
  return true;
}

/** Messages at the end that are left as they are for as long as the others suffice. */
const newest = 8;

/**
 * Makes room in a conversation that would outgrow its model's window. Reproducible content is removed first,
 * oldest first. Messages keep their order and calls keep their results, so the history stays valid and a
 * store writes only what became shorter. The task (the first message) and signals are removed last.
 *
 * @param most characters that the messages may have afterwards
 * @param keeps whether a call of that tool is what was decided and not how
 * @returns the messages, and how many of them are shorter; null where nothing could be left out
 */
function compactHistory(
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

/** A picture that the provider does not take would be refused with every request from then on. */
function leaveOutPictures({ history, options }: ContextWindow, why: string): boolean {
  let count = 0;
  const messages = history.messages.map((message): ModelMessage => {
    if (message.role !== "user") return message;
    const content = message.content.map((block) => {
      if (block.type !== "tool_result" || typeof block.content === "string") return block;
      count += 1;
      return {
        ...block,
        content: `${resultText(block.content)}\n[the provider does not take this picture: ${why}]`,
      };
    });
    return content.every((block, at) => block === message.content[at]) ? message : { role: "user", content };
  });
  if (count === 0) return false;
  history.replace(messages);
  options.onEntry({ kind: "notice", text: `Pictures were left out of the conversation: ${why}` });
  options.onTurn?.(history.token());
  return true;
}

/**
 * Handles a truncated answer. Tool calls in it may lack fields, so it is dropped; plain text is continued.
 * The limit for the next answer is doubled, up to the model's maximum.
 */
export function continueAfterCutOff(context: ContextWindow, content: readonly AssistantBlock[]): void {
  const { options, history } = context;
  const limit = maxOutputTokens(context);
  context.answerLimit *= 2;
  const words = content.filter((block) => block.type === "text");
  const isCall = content.some((block) => block.type === "tool_use");
  const next = maxOutputTokens(context);
  const longer = next > limit ? ` The next one may have ${next}.` : "";
  if (words.length > 0 && !isCall) {
    history.add({ role: "assistant", content: words });
    history.append(note(`Your answer was cut after ${limit} tokens.${longer} Continue where it stopped.`));
  } else
    history.append(
      note(
        `Your last answer was cut after ${limit} tokens, and none of its calls ran.${longer} Write a large file in several steps: its beginning with write_file, the rest piece by piece with edit_file.`,
      ),
    );
  options.onEntry({
    kind: "notice",
    text: `The answer was cut after ${limit} tokens and continues.${longer}`,
  });
  options.onTurn?.(history.token());
}
