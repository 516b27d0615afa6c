import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { ToolMissing } from "../config/tools.ts";
import { type Tool, type ToolContext, ToolFailure, type ToolOutcome } from "../tools/tool-interface.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface CallResult {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
}

/**
 * Runs the calls of one turn. Neighbouring read-only calls run in parallel; a writing one waits for those
 * before it and blocks those after it, so that "edit, then check" works. Results are in call order.
 *
 * @param known results from before the turn was suspended; those calls are not run again. Added to.
 * @param onGroup called when a group of parallel calls starts; its result is called when the last of them has
 *   ended
 */
export async function runCalls(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  context: ToolContext,
  onEntry: (entry: ConversationEntry) => void,
  known: Map<string, CallResult> = new Map(),
  onGroup: (calls: readonly ToolCall[]) => () => void = () => () => {},
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  /** Each call's first results in this answer, by what it asks. */
  const same = new Map<string, CallResult[]>();
  for (const group of groups(calls, tools)) {
    const signalledBy = results.find(({ outcome }) => outcome.ok && outcome.signal)?.call.name;
    // Whatever comes after a call that is held waits for it.
    if (results.some(isSuspended)) {
      results.push(...group.map((call) => ({ call, outcome: notStarted })));
      continue;
    }
    const alike = group.map((call) => {
      const key = JSON.stringify([call.name, call.input]);
      const before = same.get(key) ?? [];
      same.set(key, before);
      return before;
    });
    const asked = new Map<CallResult[], number>();
    const hasEnded = onGroup(group);
    const ran = await Promise.all(
      group.map((call, at) => {
        const before = alike[at] ?? [];
        const count = before.length + (asked.get(before) ?? 0);
        asked.set(before, (asked.get(before) ?? 0) + 1);
        return count >= maxIdenticalCalls
          ? null
          : (known.get(call.id) ?? runCall(call, tools, context, onEntry, signalledBy));
      }),
    );
    hasEnded();
    for (const [at, result] of ran.entries()) {
      const [call, before] = [group[at], alike[at]];
      if (call === undefined || before === undefined) continue;
      if (result !== null) before.push(result);
      if (result !== null && !isUnfinished(result)) known.set(call.id, result);
      results.push(result ?? runNoMore(call, before));
    }
  }
  return results;
}

/** So often is the same call run in one answer. */
const maxIdenticalCalls = 3;

/** A repeated call is answered with its earlier result, without running. */
const runNoMore = (call: ToolCall, before: readonly CallResult[]): CallResult => {
  const outcome = before.at(-1)?.outcome ?? { ok: true, output: "" };
  return { call, outcome: outcome.ok ? { ok: true, output: outcome.output } : outcome };
};

/** Held in the middle: its conversation keeps the call open. */
export const isSuspended = ({ outcome }: CallResult): boolean => !outcome.ok && outcome.error === "suspended";

const isUnfinished = ({ outcome }: CallResult): boolean =>
  !outcome.ok && (outcome.error === "suspended" || outcome.error === "cancelled");

const notStarted: ToolOutcome = { ok: false, error: "suspended", output: "Waits for the call before it." };

function groups(calls: readonly ToolCall[], tools: readonly Tool[]): readonly ToolCall[][] {
  const grouped: ToolCall[][] = [];
  let company: string | null = null;
  for (const call of calls) {
    const next = companyOf(tools.find((tool) => tool.name === call.name));
    const group = grouped.at(-1);
    if (group && next !== null && next === company) group.push(call);
    else grouped.push([call]);
    company = next;
  }
  return grouped;
}

/** Neighbours with the same company run at once; null runs alone. */
const companyOf = (tool: Tool | undefined): string | null =>
  tool === undefined || !tool.writes ? "reads" : tool.runsInParallel ? tool.name : null;

async function runCall(
  call: ToolCall,
  tools: readonly Tool[],
  context: ToolContext,
  onEntry: (entry: ConversationEntry) => void,
  signalledBy: string | undefined,
): Promise<CallResult> {
  const begun = performance.now();
  onEntry({ kind: "tool-call", id: call.id, tool: call.name, input: call.input });
  const raw = await outcomeOf(call, tools, { ...context, callId: call.id }, signalledBy);
  const outcome = context.redact ? { ...raw, output: context.redact(raw.output) } : raw;
  // Reported when it finishes.
  if (isSuspended({ call, outcome })) return { call, outcome };
  onEntry({
    kind: "tool-result",
    id: call.id,
    tool: call.name,
    output: outcome.output,
    error: outcome.ok ? null : outcome.error,
    ms: Math.round(performance.now() - begun),
  });
  return { call, outcome };
}

async function outcomeOf(
  call: ToolCall,
  tools: readonly Tool[],
  context: ToolContext,
  signalledBy: string | undefined,
): Promise<ToolOutcome> {
  const tool = tools.find((one) => one.name === call.name);
  if (!tool) {
    const names = tools.map((one) => one.name).join(", ");
    return { ok: false, error: "unknown-tool", output: `There is no tool ${call.name}. Tools: ${names}.` };
  }
  if (tool.onlySignals && signalledBy !== undefined) {
    // A second question in one answer would be lost without a word.
    const output = `Not taken: ${signalledBy} came first in this answer, and only one can. Call ${call.name} again if it still matters.`;
    return { ok: false, error: "not-allowed", output };
  }
  if (context.signal.aborted) return { ok: false, error: "cancelled", output: "Stopped before it ran." };
  const input = tool.input.safeParse(call.input);
  if (!input.success) {
    return {
      ok: false,
      error: "invalid-input",
      output: `Invalid input of ${call.name}:\n${z.prettifyError(input.error)}`,
    };
  }
  try {
    return await tool.run(input.data, context);
  } catch (error) {
    if (error instanceof ToolFailure) return { ok: false, error: error.kind, output: error.message };
    // Nothing that the agent does brings a program of the machine back.
    if (error instanceof ToolMissing) throw error;
    // An internal or disk error: report it to the agent, and let the other calls of this turn finish.
    return {
      ok: false,
      error: "failed",
      output: `${call.name} failed: ${error instanceof Error ? error.message : error}`,
    };
  }
}
