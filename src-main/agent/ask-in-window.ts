import { fullPercent } from "#shared/domain/spending/budget.ts";
import { contextTokens, type Spent, type Usage } from "#shared/domain/spending/usage.ts";
import {
  type AssistantBlock,
  type ModelAnswer,
  type ModelMessage,
  resultText,
  type ToolSchema,
  type UserBlock,
} from "../model/driver-interface.ts";
import { ModelError } from "../model/model-error.ts";
import type { ModelConversationOptions } from "./agent-interface.ts";
import { compactHistory } from "./compact-history.ts";
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
  /** Longest answer that is asked for; grows where one was cut. */
  answerLimit: number;
  perCharacter: number;
  hasWarned: boolean;
}

export const contextWindow = (
  given: Pick<ContextWindow, "options" | "history" | "tools" | "redact">,
): ContextWindow => ({
  ...given,
  answerLimit: given.options.maxTokens,
  perCharacter: tokensPerCharacter,
  hasWarned: false,
});

/** A conversation that has grown less than this since its task began would fill up again at once. */
const minGrowth = 0.2;

const sizeOfWindow = ({ options }: ContextWindow): number => options.driver.contextWindow(options.model);

/** Characters of the system prompt and the tools. */
const fixedSize = ({ options, tools }: ContextWindow): number =>
  options.system.length + JSON.stringify(tools).length;

const characters = (context: ContextWindow): number =>
  context.history.messages.reduce((sum, message) => sum + sizeOf(message), fixedSize(context));

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
  const atFirst = ((fixedSize(context) + sizeOf(task)) * perCharacter) / window;
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
  const fixed = fixedSize(context);
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
      if (error.course !== "shorter") throw error;
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
export function goOnAfterCut(context: ContextWindow, content: readonly AssistantBlock[]): void {
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
