import { z } from "zod";
import { fullPercent } from "#shared/domain/budget.ts";
import {
  isEndless,
  isWorthWord,
  noCallsYet,
  repetitionWords,
  sameCall,
  withCall,
} from "#shared/domain/repeated-calls.ts";
import { contextTokens, type Spent, type Usage } from "#shared/domain/usage.ts";
import {
  type AssistantBlock,
  type ModelAnswer,
  type ModelMessage,
  resultText,
  type ToolSchema,
  type UserBlock,
} from "../model/driver-interface.ts";
import { ModelError } from "../model/model-error.ts";
import { createRedactor, secretsOf } from "../tools/redact.ts";
import type { Tool, ToolSignal } from "../tools/tool-interface.ts";
import type { Conversation, ConversationOptions, TurnEnd } from "./agent-interface.ts";
import { compactHistory, leftOutWords, sizeOf } from "./compact-history.ts";
import { seenFiles } from "./seen-files.ts";
import { type CallResult, runCalls, type ToolCall } from "./tool-calls.ts";

/** So often running may an answer be longer than it may be. */
const cutsBeforeEnd = 3;
/** So often is a request shortened that is refused for its length. */
const compactions = 6;
/** Before the first answer tells how many tokens a character is. Code has more than prose. */
const tokensPerCharacter = 1 / 3;
/** What is left of a conversation that was shortened, so that it is not soon done again: each time the cache is lost. */
const compactTo = 0.5;
/** Share of the window that a conversation has in any case, beside system and tools. */
const leastShare = 0.2;
/** What a model is told in the middle of what it was asked; a scripted one takes it for no prompt. */
const note = (text: string): UserBlock => ({ type: "text", text: `[NOTE] ${text}` });

/**
 * An answer is stored before its calls run and their results after, so a crash between the two neither pays for the
 * answer again nor leaves calls without results: `run` first finishes what the history left open.
 */
export function createConversation(options: ConversationOptions): Conversation {
  const messages: ModelMessage[] = [...(options.history ?? [])];
  const tools: readonly ToolSchema[] = options.tools.map(toolSchema);
  const window = options.driver.contextWindow(options.model);
  // Known secrets are hidden from model, journal and screen alike, wherever a tool or a prompt came upon them.
  const redact = options.toolContext.redact ?? createRedactor(secretsOf(process.env)).redact;
  const seen = seenFiles(messages);
  let prompts = 0;
  /** False after a restart: whether anyone heard the last signal is then unknown. */
  let told = false;
  let warned = false;
  let answerLimit = options.maxTokens;
  let perCharacter = tokensPerCharacter;
  let calls = noCallsYet;
  const toolsOfCalls: string[] = [];
  /** What it does over and over, once nothing else is to be expected. */
  let endless: string | null = null;
  const fixed = options.system.length + JSON.stringify(tools).length;
  const decides = new Set(options.tools.filter((tool) => tool.onlySignals).map((tool) => tool.name));
  const characters = (): number => messages.reduce((sum, message) => sum + sizeOf(message), fixed);

  /** Question and answer have to fit into one window. */
  const longestAnswer = (): number =>
    Math.min(answerLimit, options.driver.longestAnswer(options.model), Math.floor(window / 2));

  /** Leaves out of the conversation what can be had again; false where nothing is left that could go. */
  function makeRoom(most: number): boolean {
    const before = Math.round(characters() * perCharacter);
    const short = compactHistory(messages, most, (tool) => decides.has(tool));
    if (short === null) return false;
    messages.splice(0, messages.length, ...short.messages);
    const keeps = options.keeps?.() ?? "";
    if (keeps !== "")
      append(note(`Earlier parts of this conversation are left out. What stands:\n\n${redact(keeps)}`));
    options.onEntry({
      kind: "notice",
      text: `About ${before.toLocaleString("en-US")} of ${window.toLocaleString("en-US")} tokens were in use, so parts of the conversation are left out from here on: ${leftOutWords(short.leftOut)}. Task, decisions and the newest steps stay; files and outputs can be read again.`,
    });
    options.onTurn?.(messages);
    return true;
  }

  /** A picture that the provider does not take would be refused with every request from then on. */
  function leaveOutPictures(why: string): boolean {
    let count = 0;
    for (const [at, message] of messages.entries()) {
      if (message.role !== "user") continue;
      const content = message.content.map((block) => {
        if (block.type !== "tool_result" || typeof block.content === "string") return block;
        count += 1;
        return {
          ...block,
          content: `${resultText(block.content)}\n[the provider does not take this picture: ${why}]`,
        };
      });
      messages[at] = { role: "user", content };
    }
    if (count === 0) return false;
    options.onEntry({ kind: "notice", text: `Pictures were left out of the conversation: ${why}` });
    options.onTurn?.(messages);
    return true;
  }

  /** Asks with a conversation that fits, and makes it shorter where the provider says that it does not. */
  async function askInWindow(signal: AbortSignal): Promise<ModelAnswer | "full"> {
    const room = Math.min(window * (options.compactAt ?? 0.75), window - longestAnswer());
    // However much system and tools take of a small window: a conversation of nothing leads nowhere.
    const least = window * leastShare;
    if (characters() * perCharacter > room)
      makeRoom(Math.max(room * compactTo - fixed * perCharacter, least) / perCharacter);
    for (let times = 0; ; times++) {
      try {
        const answer = await ask(signal);
        if (answer.stopReason !== "model_context_window_exceeded") return answer;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        if (
          error.kind === "invalid-request" &&
          /image/iu.test(error.message) &&
          leaveOutPictures(error.message)
        )
          continue;
        if (error.course !== "shorter") throw error;
        if (times >= compactions || !makeRoom((characters() - fixed) * compactTo)) throw error;
        continue;
      }
      if (times >= compactions || !makeRoom((characters() - fixed) * compactTo)) return "full";
    }
  }

  async function ask(signal: AbortSignal): Promise<ModelAnswer> {
    const { onEntry, onSpent, model } = options;
    return options.driver.stream(
      {
        model,
        maxTokens: longestAnswer(),
        effort: options.effort,
        cachedFor: options.cachedFor?.(),
        system: options.system,
        tools,
        messages: [...messages],
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
          if (contextTokens(usage) > 0) perCharacter = contextTokens(usage) / Math.max(1, characters());
          const percent = fullPercent(contextTokens(usage), window);
          if (warned || percent === null) return;
          warned = true;
          onEntry({ kind: "notice", text: `${percent} % of the context window of ${model} is in use.` });
        },
      },
      signal,
    );
  }

  async function turns(signal: AbortSignal): Promise<TurnEnd> {
    let cuts = 0;
    for (let turn = 0; turn < options.maxTurns; turn++) {
      if (signal.aborted) return { kind: "aborted" };
      const gate = options.gate();
      if (gate) return { kind: "gate", gate };
      const answer = await askInWindow(signal);
      if (answer === "full") return { kind: "cut", reason: "context-window" };
      const text = textOf(answer.content);
      cuts = answer.stopReason === "max_tokens" ? cuts + 1 : 0;
      switch (answer.stopReason) {
        case "tool_use": {
          keep(answer.content);
          const signalled = await finishCalls(signal);
          told = true;
          if (signalled) return { kind: "signal", ...signalled, text };
          if (endless !== null) return { kind: "loop", calls: endless };
          break;
        }
        case "pause_turn":
          // For tools that run at the provider, which we do not use.
          keep(withoutCalls(answer.content));
          append({ type: "text", text: "Continue." });
          break;
        case "end_turn":
        case "stop_sequence":
          keep(withoutCalls(answer.content));
          return { kind: "ended", text };
        case "max_tokens":
          if (cuts >= cutsBeforeEnd) return { kind: "cut", reason: "max_tokens" };
          goOnAfterCut(answer.content);
          break;
        case "model_context_window_exceeded":
          return { kind: "cut", reason: "context-window" };
        case "refusal":
          return { kind: "refused", text };
      }
    }
    return { kind: "turn-limit" };
  }

  /**
   * A call that was cut looks whole but lacks fields, so nothing of an answer with one is kept or run; words that were cut
   * are gone on with. The next answer may be twice as long, as far as the model can.
   */
  function goOnAfterCut(content: readonly AssistantBlock[]): void {
    const limit = longestAnswer();
    answerLimit *= 2;
    const words = content.filter((block) => block.type === "text");
    const isCall = content.some((block) => block.type === "tool_use");
    const longer = longestAnswer() > limit ? ` The next one may have ${longestAnswer()}.` : "";
    if (words.length > 0 && !isCall) {
      messages.push({ role: "assistant", content: words });
      append(note(`Your answer was cut after ${limit} tokens.${longer} Go on where it stopped.`));
    } else
      append(
        note(
          `Your last answer was cut after ${limit} tokens, and nothing of it was run.${longer} Write a large file in several steps: its beginning with write_file, the rest piece by piece with edit_file.`,
        ),
      );
    options.onEntry({
      kind: "notice",
      text: `The answer was cut after ${limit} tokens; it goes on.${longer}`,
    });
    options.onTurn?.(messages);
  }

  /** What goes round in circles: told to the model, and kept for the end of the turn where nothing helps. */
  function watchForLoops(results: readonly CallResult[]): UserBlock | null {
    let words: UserBlock | null = null;
    for (const { call, outcome } of results) {
      const next = withCall(calls, sameCall(call.name, call.input, outcome.output));
      calls = next.calls;
      toolsOfCalls.push(call.name);
      if (next.repetition === null) continue;
      const tools = toolsOfCalls.slice(-next.repetition.length);
      if (isEndless(next.repetition)) endless ??= repetitionWords(next.repetition, tools);
      else if (isWorthWord(next.repetition)) words = note(repetitionWords(next.repetition, tools));
    }
    return words;
  }

  /** Runs the calls that the last answer left open, if any. */
  async function finishCalls(signal: AbortSignal): Promise<Signalled | null> {
    const open = callsOf(messages.at(-1));
    if (open.length === 0) return null;
    const context = { ...options.toolContext, signal, seen, redact };
    const results = await runCalls(open, options.tools, context, options.onEntry);
    if (signal.aborted && !worthTelling(results, options.tools)) return null;
    const signalled = signalIn(results);
    const words = watchForLoops(results);
    if (words?.type === "text") options.onEntry({ kind: "notice", text: words.text });
    messages.push({
      role: "user",
      content: [
        ...results.map(({ call, outcome }) => resultBlock(call, outcome)),
        ...(words === null || signalled ? [] : [words]),
      ],
    });
    options.onTurn?.(messages);
    return signalled;
  }

  /** The signal among the results that end the history: making it again has no other effect. */
  async function signalAgain(signal: AbortSignal): Promise<Signalled | null> {
    const last = messages.at(-1);
    if (last?.role !== "user" || last.content.some((block) => block.type !== "tool_result")) return null;
    const makers = options.tools.filter((tool) => tool.onlySignals);
    const calls = callsOf(messages.at(-2)).filter((call) => makers.some((tool) => tool.name === call.name));
    return signalIn(
      await runCalls(calls, makers, { ...options.toolContext, signal, seen, redact }, () => {}),
    );
  }

  function keep(content: readonly AssistantBlock[]): void {
    if (content.length > 0) messages.push({ role: "assistant", content });
    options.onTurn?.(messages);
  }

  /** Text goes into a user message that still waits for its answer: the wire wants the roles in turn. */
  function append(block: UserBlock): void {
    const last = messages.at(-1);
    if (last?.role === "user")
      messages[messages.length - 1] = { role: "user", content: [...last.content, block] };
    else messages.push({ role: "user", content: [block] });
  }

  return {
    get messages() {
      return messages;
    },
    async run(prompt, signal) {
      try {
        const signalled =
          (await finishCalls(signal)) ?? (prompt === null && !told ? await signalAgain(signal) : null);
        if (signal.aborted) return { kind: "aborted" };
        told = true;
        if (prompt !== null) {
          prompts += 1;
          [calls, endless] = [noCallsYet, null];
          // A diff or a check's output in it may hold one.
          const text = redact(prompt);
          append({ type: "text", text });
          options.onEntry({ kind: "prompt", text, iteration: options.iteration ?? prompts });
          options.onTurn?.(messages);
        } else if (signalled) return { kind: "signal", ...signalled, text: "" };
        else {
          const last = messages.at(-1);
          if (last?.role === "assistant") return { kind: "ended", text: textOf(last.content) };
        }
        return await turns(signal);
      } catch (error) {
        if (error instanceof ModelError && error.kind === "aborted") return { kind: "aborted" };
        // Nothing was asked: it stands where it stood before this turn.
        if (error instanceof ModelError && error.kind === "left")
          return { kind: "gate", gate: options.gate() ?? "pause" };
        if (error instanceof ModelError) return { kind: "failed", error };
        // Not the model's fault (a journal that cannot be written): nobody may go on as if it had worked.
        throw error;
      }
    },
  };
}

const resultBlock = (call: ToolCall, outcome: CallResult["outcome"]): UserBlock => {
  const text = outcome.output === "" ? "(no output)" : outcome.output;
  const images = outcome.ok ? (outcome.images ?? []) : [];
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content:
      images.length === 0
        ? text
        : [
            { type: "text", text },
            ...images.map(({ mediaType, data }) => ({ type: "image" as const, mediaType, data })),
          ],
    is_error: !outcome.ok,
  };
};

interface Signalled {
  readonly signal: ToolSignal;
  readonly callId: string;
}

/**
 * Calls that a stop kept from running stay open and run when the conversation goes on; but what was written is told,
 * because to write it again could be refused.
 */
const worthTelling = (results: readonly CallResult[], tools: readonly Tool[]): boolean =>
  results.every(({ outcome }) => outcome.ok || outcome.error !== "cancelled") ||
  results.some(
    ({ call, outcome }) => outcome.ok && tools.some((one) => one.name === call.name && one.writes),
  );

const signalIn = (results: readonly CallResult[]): Signalled | null =>
  results.flatMap(({ call, outcome }) =>
    outcome.ok && outcome.signal ? [{ signal: outcome.signal, callId: call.id }] : [],
  )[0] ?? null;

function callsOf(message: ModelMessage | undefined): readonly ToolCall[] {
  if (message?.role !== "assistant") return [];
  return message.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
}

const withoutCalls = (content: readonly AssistantBlock[]): readonly AssistantBlock[] =>
  content.filter((block) => block.type !== "tool_use");

const spentOn = (usage: Usage, microDollars: number): Spent => ({ usage, microDollars, requests: 1 });

const textOf = (content: readonly AssistantBlock[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

function toolSchema(tool: Tool): ToolSchema {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: "input" });
  return { name: tool.name, description: tool.description, inputSchema };
}
