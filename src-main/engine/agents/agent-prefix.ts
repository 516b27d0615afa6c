/** What the requests of an agent begin with, before its own words: the part that a provider caches. */
import type { ResumeToken } from "../../agent/agent-interface.ts";
import { systemPrompt } from "../../config/system-prompt.ts";
import { agentTools } from "../../tools/agent-tools.ts";
import type { Tool } from "../../tools/tool-interface.ts";
import { lenderSystem } from "../orchestrators/orchestrator-system.ts";
import { lentTools } from "../orchestrators/orchestrator-tools.ts";
import type { Run } from "../ports.ts";
import { speaksAs } from "../workers/attempts.ts";
import { beginsWith, lenderOf } from "../workers/inherited-context.ts";

export interface AgentPrefix {
  readonly system: string;
  readonly tools: readonly Tool[];
}

/** @param promptFile of its role */
export function agentPrefix(run: Run, name: string, iteration: number, promptFile: string): AgentPrefix {
  const tools = [
    ...agentTools({ commandTimeoutSeconds: run.config.loopDefaults.commandTimeoutSeconds }),
    ...run.features.flatMap((feature) => feature.agents?.tools?.(run, name) ?? []),
  ];
  const lender = lenderOf(run, name, iteration);
  return lender === null
    ? { system: systemPrompt(promptFile, speaksAs(run, name, iteration), {}), tools }
    : { system: lenderSystem(run, lender), tools: lentTools(run, lender, tools) };
}

/** The conversation that its first iteration continues. If it is gone, the agent starts fresh. */
export function firstHistory(run: Run, name: string): ResumeToken | null {
  const history = beginsWith(run, name);
  const { inherits } = run.worker(name).record;
  if (history === null && inherits !== null) {
    run.append({ kind: "ContextChosen", worker: name, from: null });
    run.appendTranscript(name, {
      kind: "notice",
      text: `The conversation of ${inherits.from} was deleted to make room for newer ones. ${name} starts without it.`,
    });
  }
  return history;
}
