import { z } from "zod";
import { inheritedModel, type NamedAgent } from "#shared/domain/agent-file/named-agent.ts";
import {
  cloneName,
  depthBelow,
  type Fork,
  type ForkResult,
  forkOfCall,
  isCloneCall,
  whyNoFork,
} from "#shared/domain/fork/fork-events.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../../../tools/tool-interface.ts";
import { can } from "../../../conversations/agent-limits.ts";
import { modelOf } from "../../../conversations/conversation-factory.ts";
import { namedAgents } from "../../../conversations/named-agents.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { removeForkResults } from "../../../workspaces/fork-results.ts";
import { workAsFork } from "./fork-work.ts";

/** Forks without a waiting caller that are still recorded as working. */
const leftForks = ({ facts }: Pick<RunReader, "facts">) =>
  Object.values(facts.forks)
    .filter(({ name, isCancelled }) => isCancelled && facts.workers[name]?.status === "in_progress")
    .map(({ name }) => ({ id: `fork-left/${name}`, fork: name }));

const forkToolName = "fork_subagent";

const shape = z.strictObject({
  agent: z
    .string()
    .max(200)
    .describe('Name of an agent that starts fresh, or "" (or "clone") for a copy of this conversation.'),
  task: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .describe("What it should do, and what its answer should contain."),
});

/**
 * `fork_subagent`: starts another conversation and returns its result. (HIVE-1)
 *
 * @param caller the worker that calls it
 */
const forkTool = (run: Run, caller: string): Tool => ({
  name: forkToolName,
  description: describe(namedAgents(run)),
  input: shape,
  writes: true,
  runsInParallel: true,
  run: (input, context) => answerCall(run, caller, shape.parse(input), context),
});

/** The same to the byte for a whole run: it belongs to the cached prefix. */
const describe = (agents: readonly NamedAgent[]): string =>
  `Has a fork do one task while you wait, and answers with its last message as JSON (status, content, error, metadata). With agent "" the fork is a copy of you that knows all that you know and costs little to start: use it for a search or a reading whose details you do not need in your own conversation, or for parts of your work that lie in different files. Several calls in one turn work side by side. Do not use it for what a call or two of your own would do.${
    agents.length === 0
      ? ""
      : ` Agents that begin fresh, and know nothing but the task that you write: ${agents.map(({ name, description }) => `${name} (${description})`).join("; ")}.`
  }`;

async function answerCall(
  run: Run,
  caller: string,
  { agent, task }: z.infer<typeof shape>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { open } = run.worker(caller);
  const { callId } = context;
  if (open === null || callId === undefined) throw new Error(`${caller} has no conversation to fork.`);
  const call = { caller, conversation: open.key, callId };
  const before = forkOfCall(run.facts.forks, call);
  if (before?.result) return outcomeOf(before.result);
  const name = before?.agent ?? (isCloneCall(agent) ? cloneName : agent.trim());
  const named = namedAgents(run).find((one) => one.name === name) ?? null;
  const refusal =
    name !== cloneName && named === null
      ? unknownAgent(run, name)
      : before
        ? null
        : whyNoFork(run.facts.forks, caller, name, run.config.hive);
  if (refusal !== null) return outcomeOf(refusedResult(run, caller, name, refusal));
  const fork = before ?? begin(run, { ...call, agent: name, task }, named);
  const tool = forkTool(run, fork.name);
  const result = await workAsFork(run, fork, { context, origin: open.conversation, named, tool });
  return result === "suspended"
    ? { ok: false, error: "suspended", output: `${fork.name} resumes when you do.` }
    : outcomeOf(result);
}

function begin(
  run: Run,
  call: Pick<Fork, "caller" | "conversation" | "callId" | "agent" | "task">,
  named: NamedAgent | null,
): Fork {
  const { caller, agent, task } = call;
  const count = Object.values(run.facts.forks).filter((one) => one.caller === caller).length;
  const name = `${caller.toLowerCase()}-fork-${count + 1}`;
  const limits = named?.limits.budgetUsd ?? null;
  run.append(
    {
      kind: "WorkerJoined",
      worker: name,
      record: {
        name,
        role: "fork",
        parent: caller,
        title: startOf(task.split("\n")[0] ?? "", 120),
        model: named === null ? modelOf(run, caller) : modelOfNamed(run, caller, named),
        ...(limits === null
          ? {}
          : { limits: { tokens: null, microDollars: Math.round(limits * 1_000_000) } }),
      },
    },
    {
      kind: "ForkStarted",
      fork: name,
      ...call,
      ...depthBelow(run.facts.forks, caller, agent === cloneName),
      begunAt: run.now(),
    },
    { kind: "WorkStarted", worker: name },
  );
  const fork = run.facts.forks[name];
  if (!fork) throw new Error(`${name} did not start.`);
  return fork;
}

function modelOfNamed(run: Run, caller: string, { model }: NamedAgent): string {
  const wanted = model ?? run.config.hive.defaultModel;
  return wanted === "" || wanted === inheritedModel ? modelOf(run, caller) : wanted;
}

function unknownAgent(run: Run, name: string): string {
  const names = namedAgents(run).map((one) => one.name);
  const near = nearestWord(name, names);
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  return `There is no agent "${name}".${meant} There are: ${[...names, 'clone (or "")'].join(", ")}. Agents are files in ${run.config.hive.agentsDir}/ and .claude/agents/ (hive.agents_dir).`;
}

/** Nothing was asked of a model. */
const refusedResult = (run: Run, caller: string, agent: string, error: string): ForkResult => ({
  status: "error",
  content: "",
  error,
  metadata: {
    agent,
    model: modelOf(run, caller),
    provider: run.known?.name ?? "",
    latency_ms: 0,
    usage: { input_tokens: 0, output_tokens: 0 },
  },
});

const outcomeOf = (result: ForkResult): ToolOutcome =>
  result.status === "success"
    ? { ok: true, output: JSON.stringify(result) }
    : { ok: false, error: "failed", output: JSON.stringify(result) };

/** Forks: agents and orchestrators start conversations in the middle of their own. (HIVE-1 to HIVE-11) */
export const forks: Feature<Run> = {
  name: "forks",
  agents: {
    tools: (run, worker) =>
      run.config.hive.enabled && can(run, worker, "subagents") ? [forkTool(run, worker)] : [],
  },
  orchestratorTools: [
    {
      name: forkToolName,
      isAlwaysAllowed: true,
      isForPlanning: true,
      make: (run, orchestrator) => (run.config.hive.enabled ? forkTool(run, orchestrator) : null),
    },
  ],
  background: [
    background({
      desired: (run: Run) => leftForks(run),
      async perform(run, { fork }) {
        closeConversation(run, fork);
        run.append({ kind: "WorkAbandoned", worker: fork });
        run.setActivity(fork, "failed", "");
      },
      failure: ({ fork }) => ({ title: `${fork} could not be closed` }),
    }),
  ],
  async atRunEnd(run) {
    if (run.config.hive.cleanupTempFiles && Object.keys(run.facts.forks).length > 0)
      await removeForkResults(run);
  },
};
