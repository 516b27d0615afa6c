import { z } from "zod";
import { fullPercent } from "#shared/domain/budget.ts";
import { contextTokens, type Spent, type Usage } from "#shared/domain/usage.ts";
import type {
  AssistantBlock,
  ModelAnswer,
  ModelMessage,
  ToolSchema,
  UserBlock,
} from "../model/driver-interface.ts";
import { ModelError } from "../model/model-error.ts";
import { createRedactor, secretsOf } from "../tools/redact.ts";
import type { Tool, ToolSignal } from "../tools/tool-interface.ts";
import type { Conversation, ConversationOptions, TurnEnd } from "./agent-interface.ts";
import { seenFiles } from "./seen-files.ts";
import { type CallResult, runCalls, type ToolCall } from "./tool-calls.ts";

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

  async function ask(signal: AbortSignal): Promise<ModelAnswer> {
    const { onEntry, onSpent, model } = options;
    return options.driver.stream(
      {
        model,
        maxTokens: options.maxTokens,
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
    for (let turn = 0; turn < options.maxTurns; turn++) {
      if (signal.aborted) return { kind: "aborted" };
      const gate = options.gate();
      if (gate) return { kind: "gate", gate };
      const answer = await ask(signal);
      const text = textOf(answer.content);
      switch (answer.stopReason) {
        case "tool_use": {
          keep(answer.content);
          const signalled = await finishCalls(signal);
          told = true;
          if (signalled) return { kind: "signal", ...signalled, text };
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
          // A call that was cut looks whole but lacks fields: nothing of this answer is kept or run.
          return { kind: "cut", reason: "max_tokens" };
        case "model_context_window_exceeded":
          return { kind: "cut", reason: "context-window" };
        case "refusal":
          return { kind: "refused", text };
      }
    }
    return { kind: "turn-limit" };
  }

  /** Runs the calls that the last answer left open, if any. */
  async function finishCalls(signal: AbortSignal): Promise<Signalled | null> {
    const calls = callsOf(messages.at(-1));
    if (calls.length === 0) return null;
    const context = { ...options.toolContext, signal, seen, redact };
    const results = await runCalls(calls, options.tools, context, options.onEntry);
    if (signal.aborted && !worthTelling(results, options.tools)) return null;
    messages.push({
      role: "user",
      content: results.map(({ call, outcome }) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: outcome.output === "" ? "(no output)" : outcome.output,
        is_error: !outcome.ok,
      })),
    });
    options.onTurn?.(messages);
    return signalIn(results);
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
