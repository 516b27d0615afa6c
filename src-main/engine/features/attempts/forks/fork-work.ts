/** A fork at work: from its first request, or from where a pause or a crash left it, to its result. */

import type { NamedAgent } from "#shared/domain/agent-file/named-agent.ts";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { type Fork, type ForkResult, heldByOthers, holderOf } from "#shared/domain/fork/fork-events.ts";
import { cachedShare, contextTokens, nothingSpent } from "#shared/domain/spending/usage.ts";
import type { Conversation, TurnEnd } from "../../../../agent/agent-interface.ts";
import { systemPrompt } from "../../../../config/resources-folder.ts";
import { afterActiveTime } from "../../../../model/rate-limit.ts";
import { agentTools } from "../../../../tools/agent-tools.ts";
import {
  type FileAccess,
  type Tool,
  type ToolContext,
  ToolFailure,
} from "../../../../tools/tool-interface.ts";
import {
  conversationFactory,
  describeTurnEnd,
  modelOf,
  openOrStart,
  type StartConversation,
} from "../../../conversations/conversation-factory.ts";
import { cloneInstructions, namedTask } from "../../../conversations/fork-text.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import type { Run } from "../../../ports.ts";
import { gateOf, ownBudgetState } from "../../../workers/worker-limits.ts";
import { writeForkResult } from "../../../workspaces/fork-results.ts";

export interface ForkParts {
  /** Of the caller, as its call was made. */
  readonly context: ToolContext;
  /** The caller's conversation. */
  readonly origin: Conversation;
  /** Whose file it follows; null for a clone. */
  readonly named: NamedAgent | null;
  /** With which the fork forks in its turn. */
  readonly tool: Tool;
}

/**
 * Works until there is a result, which is stored before it is returned. Idempotent: interrupted work resumes.
 * @returns "suspended" while its caller is suspended too
 */
export async function workAsFork(run: Run, fork: Fork, parts: ForkParts): Promise<ForkResult | "suspended"> {
  const { named, context } = parts;
  const seconds = named?.limits.timeoutSeconds ?? run.config.hive.timeoutSeconds;
  const { scheduler, name: provider } = await run.driver();
  const late = new AbortController();
  const stopClock = afterActiveTime(seconds * 1000, scheduler, () => late.abort());
  const begun = run.monotonic();
  try {
    const start = named === null ? startClone(run, fork, parts) : await startNamed(run, fork, parts, named);
    const { conversation, isResumed } = openOrStart(run, fork.name, fork.callId, start);
    const end = await conversation.run(
      isResumed || named === null ? null : namedTask(fork.caller, fork.task),
      AbortSignal.any([context.signal, late.signal]),
    );
    run.flush(fork.name);
    const outcome =
      end.kind === "aborted" && late.signal.aborted && !context.signal.aborted
        ? failed(`It was not done after ${seconds} s (${timeoutKey(named)}).`)
        : outcomeOf(run, fork, named, end);
    if (outcome === "suspended") {
      run.setActivity(fork.name, "waiting", `waiting for ${fork.caller}`);
      return outcome;
    }
    const { usage } = run.spending.byWorker.get(fork.name) ?? nothingSpent;
    const result: ForkResult = {
      ...outcome,
      metadata: {
        agent: fork.agent,
        model: modelOf(run, fork.name),
        provider,
        latency_ms: Math.round(run.monotonic() - begun),
        usage: { input_tokens: contextTokens(usage), output_tokens: usage.output },
      },
    };
    keep(run, fork, result);
    await writeForkResult(run, fork.name, result);
    return result;
  } finally {
    stopClock();
  }
}

/** Stored before its caller receives it, so that it is not computed or paid for twice. */
function keep(run: Run, fork: Fork, result: ForkResult): void {
  const { name } = fork;
  run.journal.together(() => {
    closeConversation(run, name);
    run.append(
      { kind: "ForkEnded", fork: name, result },
      result.status === "success"
        ? { kind: "WorkFinished", worker: name, summary: result.content }
        : { kind: "WorkAbandoned", worker: name },
    );
  });
  run.setActivity(name, result.status === "success" ? "done" : "failed", "");
}

/** Whatever holds its caller holds it as well. */
const gate = (run: Run, fork: Fork, origin: Conversation) => () => origin.gate() ?? gateOf(run, fork.name)();

/** Its caller's prefix to the byte, and then its own words. (HIVE-2) */
const startClone =
  (run: Run, fork: Fork, { origin, context, tool }: ForkParts): StartConversation =>
  ({ token = null, onTurn } = {}) =>
    origin.fork({
      suffix: cloneInstructions(run.config.hive, fork.task),
      ...(token === null ? {} : { token }),
      ...(onTurn ? { onTurn } : {}),
      requester: `${run.id}/${fork.name}`,
      gate: gate(run, fork, origin),
      toolContext: forkContext(run, fork.name, context),
      adaptTool: (one) => cloneTool(one, { disabled: run.config.hive.cloneDisableTools, fork: tool }),
      onEntry: (entry) => record(run, fork, entry),
      onSpent: (spent, model) => run.spend(fork.name, spent, model),
      onMeasured: (measured) => run.metrics.measured(fork.name, measured),
    });

/**
 * A fork's tool context: its caller's files and tools, under its own name. The first fork that writes a path
 * locks it until it ends; a command's changes to files that others have locked are reverted.
 *
 * @param caller the call's context
 */
const forkContext = (run: Run, fork: string, caller: ToolContext): ToolContext => ({
  ...caller,
  agent: fork,
  files: withClaims(run, fork, caller.files),
  run: (command) =>
    caller.run({
      ...command,
      exactPaths: {
        ...command.exactPaths,
        claimed: [...(command.exactPaths?.claimed ?? []), ...heldByOthers(run.facts.forks, fork)],
      },
    }),
});

function withClaims(run: Run, fork: string, files: FileAccess): FileAccess {
  const claim = (path: string): void => {
    const holder = holderOf(run.facts.forks, fork, path);
    if (holder !== null)
      throw new ToolFailure(
        "not-allowed",
        `${path} is being written by ${holder.name}, which is working in parallel on: ${firstLine(holder.task)} Leave that file to it, or finish with what you found and let your caller combine both.`,
      );
    if (run.facts.forks[fork]?.files.includes(path) === false) run.append({ kind: "ForkWrote", fork, path });
  };
  return {
    ...files,
    async writeText(path, text, expected) {
      claim(spelling(path));
      return files.writeText(path, text, expected);
    },
    async move(from, to) {
      claim(spelling(from));
      claim(spelling(to));
      return files.move(from, to);
    },
    async remove(path) {
      claim(spelling(path));
      return files.remove(path);
    },
  };
}

/** One spelling for one path below the workspace. */
const spelling = (path: string): string =>
  path
    .split(/[\\/]/u)
    .filter((part) => part !== "" && part !== ".")
    .join("/");

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

/** Reading, writing, running, and the one word that ends a task. */
const ofForks: ReadonlySet<string> = new Set(
  agentTools()
    .filter(({ name, onlySignals }) => !onlySignals || name === "report_done")
    .map(({ name }) => name),
);

/**
 * A caller's tool as a clone may use it. A clone sees all tools, so that it shares its caller's prefix; a
 * tool that is disabled for clones or speaks for its caller refuses when called. (HIVE-4)
 *
 * @param disabled `hive.clone_disable_tools`
 * @param fork the clone's own fork tool
 */
export function cloneTool(
  tool: Tool,
  { disabled, fork }: { readonly disabled: readonly string[]; readonly fork: Tool },
): Tool {
  if (disabled.includes(tool.name))
    return refused(tool, `${tool.name} is disabled for clones (hive.clone_disable_tools).`);
  if (tool.name === fork.name) return fork;
  if (!ofForks.has(tool.name))
    return refused(
      tool,
      `${tool.name} is not for a fork: it speaks for your caller. Say in your answer what your caller should do with it.`,
    );
  return tool;
}

/**
 * The tools of a named agent, in the usual order.
 *
 * @param fork its own fork tool
 * @param names from its file; null: all that a fork may have
 */
const namedTools = (own: readonly Tool[], fork: Tool, names: readonly string[] | null): readonly Tool[] =>
  [...own.filter(({ name }) => ofForks.has(name)), fork].filter(
    ({ name }) => names === null || names.includes(name),
  );

const refused = (tool: Tool, output: string): Tool => ({
  ...tool,
  onlySignals: false,
  run: async () => ({ ok: false, error: "not-allowed", output }),
});

async function startNamed(
  run: Run,
  fork: Fork,
  { origin, context, tool }: ForkParts,
  named: NamedAgent,
): Promise<StartConversation> {
  const own = agentTools({ commandTimeoutSeconds: run.config.loopDefaults.commandTimeoutSeconds });
  return conversationFactory(run, fork.name, {
    system: systemPrompt("named-agent", fork.name, { caller: fork.caller, instructions: named.system }),
    tools: namedTools(own, tool, named.tools),
    context: forkContext(run, fork.name, context),
    gate: gate(run, fork, origin),
    onEntry: (entry) => record(run, fork, entry),
    ...(named.limits.maxTurns === null ? {} : { maxTurns: named.limits.maxTurns }),
  });
}

/** Recorded as its own, and what its first request found in the provider's cache. */
function record(run: Run, fork: Fork, entry: ConversationEntry): void {
  run.appendTranscript(fork.name, entry);
  if (entry.kind !== "usage" || run.facts.forks[fork.name]?.cachedShare !== null) return;
  run.append({ kind: "ForkFirstAnswered", fork: fork.name, cachedShare: cachedShare(entry.usage) });
}

type Outcome = Pick<ForkResult, "status" | "content" | "error">;

const failed = (error: string, content = ""): Outcome => ({ status: "error", content, error });

/** What the end of its conversation means to its caller; "suspended" while that is held as well. */
function outcomeOf(run: Run, fork: Fork, named: NamedAgent | null, end: TurnEnd): Outcome | "suspended" {
  switch (end.kind) {
    case "ended":
      return { status: "success", content: end.text, error: null };
    case "signal":
      if (end.signal.kind === "done") return { status: "success", content: end.signal.summary, error: null };
      if (end.signal.kind === "blocked") return failed(end.signal.reason, end.text);
      return failed(`It ended with ${end.signal.kind}, which is not for a fork.`, end.text);
    case "gate":
      return ownBudgetState(run, fork.name) === "exhausted"
        ? failed(`Its budget is spent (limits in ${named?.source.path ?? "the run"}).`)
        : "suspended";
    case "aborted":
      return "suspended";
    case "failed":
      return failed(end.error.message);
    default:
      return failed(`It gave no answer: ${describeTurnEnd(end)}.`);
  }
}

const timeoutKey = (named: NamedAgent | null): string =>
  named?.limits.timeoutSeconds ? `timeout_seconds of ${named.source.path}` : "hive.timeout_seconds";
