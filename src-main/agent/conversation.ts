import { posix } from "node:path";
import { z } from "zod";
import {
  formatRepetition,
  isEndless,
  isWorthWord,
  noCallsYet,
  sameCall,
  withCall,
} from "#shared/domain/conversation/conversation.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import {
  type AssistantBlock,
  type ModelMessage,
  resultText,
  type ToolSchema,
  type UserBlock,
} from "../model/driver-interface.ts";
import { ModelError } from "../model/model-error.ts";
import { hashInOutput } from "../tools/file-listing.ts";
import { createRedactor, secretsOf } from "../tools/redact.ts";
import type { SeenFiles, Tool, ToolContext, ToolSignal } from "../tools/tool-interface.ts";
import type {
  Conversation,
  ConversationDriver,
  ModelConversationOptions,
  ResumeToken,
  TurnEnd,
} from "./agent-interface.ts";
import {
  askInWindow,
  type ContextWindow,
  contextWindow,
  continueAfterCutOff,
  note,
  staleAt,
} from "./ask-in-window.ts";
import { measuredCalls } from "./measured.ts";
import {
  callsOf,
  createMessageHistory,
  forkedMessages,
  type MessageHistory,
  messageDriver,
  messagesOf,
} from "./message-history.ts";
import { type CallResult, isSuspended, runCalls, type ToolCall } from "./tool-calls.ts";

/** So often running may an answer be longer than it may be. */
const cutsBeforeEnd = 3;

/** State of one conversation. */
interface ConversationState {
  readonly options: ModelConversationOptions;
  readonly history: MessageHistory;
  readonly context: ContextWindow;
  readonly toolContext: ToolContext & { readonly redact: (text: string) => string };
  prompts: number;
  /** False after a restart: whether anyone heard the last signal is then unknown. */
  hasReported: boolean;
  calls: typeof noCallsYet;
  /** Results of the last answer's calls while another one is suspended, by id. */
  readonly finished: Map<string, CallResult>;
  readonly toolsOfCalls: string[];
  /** What it does over and over, once nothing else is to be expected. */
  endless: string | null;
}

/**
 * An answer is stored before its calls run and their results after, so a crash between the two neither pays
 * for the answer again nor leaves calls without results: `run` first finishes what the history left open.
 * @param token position of an earlier conversation to resume
 */
export const createConversation = (
  options: ModelConversationOptions,
  token: ResumeToken | null = null,
): Conversation =>
  conversationOf(conversationState(options, createMessageHistory(token === null ? [] : messagesOf(token))));

function conversationState(options: ModelConversationOptions, history: MessageHistory): ConversationState {
  // Known secrets are hidden from model, journal and screen alike, wherever a tool or a prompt came upon them.
  const redact = options.toolContext.redact ?? createRedactor(secretsOf(process.env)).redact;
  return {
    options,
    history,
    context: contextWindow({ options, history, tools: options.tools.map(toolSchema), redact }),
    toolContext: { ...options.toolContext, seen: seenFiles(history.messages), redact },
    prompts: 0,
    hasReported: false,
    calls: noCallsYet,
    finished: new Map(),
    toolsOfCalls: [],
    endless: null,
  };
}

/**
 * Which files a conversation has read, derived from its history: a resumed conversation may edit what it read
 * before, a fresh one has read nothing.
 */
export function seenFiles(history: readonly ModelMessage[]): SeenFiles {
  const hashes = new Map<string, string>();
  for (const block of history.flatMap((message) => [...message.content])) {
    if (block.type === "tool_use" && block.name === "read_file")
      for (const path of pathsOf(block.input)) hashes.delete(path);
    if (block.type !== "tool_result" || block.is_error) continue;
    const known = hashInOutput(resultText(block.content));
    if (known) hashes.set(known.path, known.hash);
  }
  return {
    hashOf: (path) => hashes.get(path),
    note(path, hash) {
      hashes.set(path, hash);
    },
    forget: (path) => void hashes.delete(path),
  };
}

/**
 * Expected file contents since the end of the history, as path → hash. Excludes files that a command or an
 * interrupted call may have changed. Empty after a signal, because the conversation reads no more.
 */
export function filesLeft(
  history: readonly ModelMessage[],
  onlySignals: (tool: string) => boolean,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const calls = new Map<string, { readonly name: string; readonly input: unknown }>();
  let signalled = false;
  for (const { role, content } of history) {
    if (role === "assistant") signalled = false;
    for (const block of content) {
      if (block.type === "tool_use") calls.set(block.id, block);
      if (block.type === "text") signalled = false;
      if (block.type !== "tool_result") continue;
      const call = calls.get(block.tool_use_id);
      const name = call?.name ?? "";
      // Gone, or elsewhere.
      if (name === "move_file" || name === "delete_file")
        for (const path of pathsOf(call?.input)) files.delete(path);
      calls.delete(block.tool_use_id);
      signalled ||= !block.is_error && onlySignals(name);
      if (name === "run_command") files.clear();
      const known = block.is_error ? null : hashInOutput(resultText(block.content));
      if (known) files.set(known.path, known.hash);
    }
  }
  for (const { name, input } of calls.values()) {
    if (name === "run_command") files.clear();
    for (const path of pathsOf(input)) files.delete(path);
  }
  return signalled ? new Map() : files;
}

const pathsOf = (input: unknown): readonly string[] =>
  typeof input !== "object" || input === null
    ? []
    : Object.entries(input).flatMap(([field, value]) =>
        ["path", "from", "to"].includes(field) ? [posix.normalize(String(value))] : [],
      );

/** Of what a tool takes. Every conversation is offered the same ones. */
const inputSchemas = new WeakMap<Tool["input"], ToolSchema["inputSchema"]>();

function inputSchemaOf(input: Tool["input"]): ToolSchema["inputSchema"] {
  const known = inputSchemas.get(input);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  inputSchemas.set(input, schema);
  return schema;
}

/** The schema of a tool that the model receives. */
export const toolSchema = ({ name, description, input }: Tool): ToolSchema => ({
  name,
  description,
  inputSchema: inputSchemaOf(input),
});

function conversationOf(state: ConversationState): Conversation {
  const { options, history } = state;
  return {
    get token() {
      return history.token();
    },
    readFiles() {
      const signals = new Set(signalTools(options.tools).map((tool) => tool.name));
      return filesLeft(history.messages, (tool) => signals.has(tool));
    },
    gate: () => options.gate(),
    run: (prompt, signal) => run(state, prompt, signal),
    fork({ suffix, token, adaptTool, ...own }) {
      const { onTurn: _, freshContextAt: __, onMeasured: ___, ...shared } = options;
      const tools = own.tools ?? shared.tools;
      const all = { ...shared, ...own, tools: adaptTool ? tools.map(adaptTool) : tools };
      if (token) return conversationOf(conversationState(all, createMessageHistory(messagesOf(token))));
      const fork = conversationState(all, createMessageHistory(forkedMessages(history.messages)));
      tell(fork, suffix);
      return conversationOf(fork);
    },
  };
}

async function run(
  state: ConversationState,
  prompt: PromptText | null,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { options, history } = state;
  try {
    const finished = await finishCalls(state, signal);
    if (finished === "suspended") return suspendedTurn(state, signal);
    const signalled =
      finished ?? (prompt === null && !state.hasReported ? await signalAgain(state, signal) : null);
    if (signal.aborted) return { kind: "aborted" };
    state.hasReported = true;
    if (prompt !== null) tell(state, prompt);
    else if (signalled) return { kind: "signal", ...signalled, text: "" };
    else {
      const last = history.messages.at(-1);
      if (last?.role === "assistant") return { kind: "ended", text: textOf(last.content) };
    }
    return await turns(state, signal);
  } catch (error) {
    if (error instanceof ModelError && error.kind === "aborted") return { kind: "aborted" };
    // No request was made: the position is the same as before this turn.
    if (error instanceof ModelError && error.kind === "left")
      return { kind: "gate", gate: options.gate() ?? "pause" };
    if (error instanceof ModelError) return { kind: "failed", error };
    // Not the model's fault (e.g. the journal cannot be written): stop.
    throw error;
  }
}

function tell(state: ConversationState, prompt: PromptText): void {
  const { options, history, toolContext } = state;
  state.prompts += 1;
  [state.calls, state.endless] = [noCallsYet, null];
  // A diff or a check's output in it may hold one.
  const text = toolContext.redact(prompt);
  history.append({ type: "text", text });
  options.onEntry({ kind: "prompt", text, iteration: options.iteration ?? state.prompts });
  stored(state);
}

const stored = ({ options, history }: ConversationState): void => options.onTurn?.(history.token());

async function turns(state: ConversationState, signal: AbortSignal): Promise<TurnEnd> {
  const { options, history, context } = state;
  let cuts = 0;
  let lastText = "";
  for (let turn = 0; turn < options.maxTurns; turn++) {
    if (signal.aborted) return { kind: "aborted" };
    const gate = options.gate();
    if (gate) return { kind: "gate", gate };
    const percent = turn > 0 ? staleAt(context) : null;
    if (percent !== null) return { kind: "context-share", percent, text: lastText };
    const answer = await askInWindow(context, signal);
    if (answer === "full") return { kind: "cut", reason: "context-window" };
    const text = textOf(answer.content);
    lastText = text || lastText;
    cuts = answer.stopReason === "max_tokens" ? cuts + 1 : 0;
    switch (answer.stopReason) {
      case "tool_use": {
        keep(state, answer.content);
        const signalled = await finishCalls(state, signal);
        if (signalled === "suspended") return suspendedTurn(state, signal);
        state.hasReported = true;
        if (signalled) return { kind: "signal", ...signalled, text };
        if (state.endless !== null) return { kind: "loop", calls: state.endless };
        break;
      }
      case "pause_turn":
        // For tools that run at the provider, which we do not use.
        keep(state, withoutCalls(answer.content));
        history.append({ type: "text", text: "Continue." });
        break;
      case "end_turn":
      case "stop_sequence":
        keep(state, withoutCalls(answer.content));
        return { kind: "ended", text };
      case "max_tokens":
        if (cuts >= cutsBeforeEnd) return { kind: "cut", reason: "max_tokens" };
        continueAfterCutOff(context, answer.content);
        break;
      case "model_context_window_exceeded":
        return { kind: "cut", reason: "context-window" };
      case "refusal":
        return { kind: "refused", text };
    }
  }
  return { kind: "turn-limit" };
}

/** Detects loops: warns the model, and ends the turn if that does not help. */
function watchForLoops(state: ConversationState, results: readonly CallResult[]): UserBlock | null {
  let words: UserBlock | null = null;
  for (const { call, outcome } of results) {
    const next = withCall(state.calls, sameCall(call.name, call.input, outcome.output));
    state.calls = next.calls;
    state.toolsOfCalls.push(call.name);
    if (next.repetition === null) continue;
    const tools = state.toolsOfCalls.slice(-next.repetition.length);
    if (isEndless(next.repetition)) state.endless ??= formatRepetition(next.repetition, tools);
    else if (isWorthWord(next.repetition)) words = note(formatRepetition(next.repetition, tools));
  }
  return words;
}

/** A call waits for the same gates as its conversation and resumes with it. */
const suspendedTurn = ({ options }: ConversationState, signal: AbortSignal): TurnEnd =>
  signal.aborted ? { kind: "aborted" } : { kind: "gate", gate: options.gate() ?? "pause" };

/** Runs the calls that the last answer left open, if any. */
async function finishCalls(
  state: ConversationState,
  signal: AbortSignal,
): Promise<Signalled | "suspended" | null> {
  const { options, history, toolContext } = state;
  const open = callsOf(history.messages.at(-1));
  if (open.length === 0) return null;
  const results = await measuredCalls(options, open, { ...toolContext, signal }, state.finished);
  if (results.some(isSuspended)) return "suspended";
  state.finished.clear();
  if (signal.aborted && !worthTelling(results, options.tools)) return null;
  const signalled = signalIn(results);
  const words = watchForLoops(state, results);
  if (words?.type === "text") options.onEntry({ kind: "notice", text: words.text });
  history.add({
    role: "user",
    content: [
      ...results.map(({ call, outcome }) => resultBlock(call, outcome)),
      ...(words === null || signalled ? [] : [words]),
    ],
  });
  stored(state);
  return signalled;
}

/** A call's result for the request: the text, and pictures after it. */
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

/** The signal among the results that end the history: making it again has no other effect. */
async function signalAgain(state: ConversationState, signal: AbortSignal): Promise<Signalled | null> {
  const { options, history, toolContext } = state;
  const last = history.messages.at(-1);
  if (last?.role !== "user" || last.content.some((block) => block.type !== "tool_result")) return null;
  const makers = signalTools(options.tools);
  const calls = callsOf(history.messages.at(-2)).filter((call) =>
    makers.some((tool) => tool.name === call.name),
  );
  return signalIn(await runCalls(calls, makers, { ...toolContext, signal }, () => {}));
}

function keep(state: ConversationState, content: readonly AssistantBlock[]): void {
  if (content.length > 0) state.history.add({ role: "assistant", content });
  stored(state);
}

const signalTools = (tools: readonly Tool[]): readonly Tool[] => tools.filter((tool) => tool.onlySignals);

interface Signalled {
  readonly signal: ToolSignal;
  readonly callId: string;
}

/**
 * Interrupted calls stay open and run when the conversation resumes. Writes are reported now, because
 * repeating them could be refused.
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

const withoutCalls = (content: readonly AssistantBlock[]): readonly AssistantBlock[] =>
  content.filter((block) => block.type !== "tool_use");

const textOf = (content: readonly AssistantBlock[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

/** Conversations whose turns Hox runs itself, with a model that is asked request by request. */
export const modelConversations = (
  model: Pick<ModelConversationOptions, "driver" | "price">,
): ConversationDriver => ({
  name: messageDriver,
  start: (options) => createConversation({ ...options, ...model }),
  resume: (token, options) => createConversation({ ...options, ...model }, token),
});
