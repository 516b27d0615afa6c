/** What workers' agents can do: the one place that the engine and the windows ask. */
import { type AgentUse, type AgentView, whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { RunReader } from "../ports.ts";
import { externalChoice } from "./conversation-factory.ts";
import { externalAgent, reportedCapabilities } from "./external-agents.ts";

/** The agent of another make that does a worker's work, with what it says of itself once it runs; null: Hox's own. */
export function agentView(run: RunReader, worker: string): AgentView | null {
  const other = externalChoice(run, worker);
  if (other === null) return null;
  const { dialect, isSubscription } = other.agent;
  const capabilities = reportedCapabilities(run, worker) ?? dialect.expected;
  return {
    label: dialect.label,
    capabilities: isSubscription ? { ...capabilities, usage: "none" } : capabilities,
  };
}

/** @throws EngineRefusal with the reason where an agent that is chosen for new work cannot do something */
export function refuseChoice(run: RunReader, choice: string, use: AgentUse): void {
  const dialect = externalAgent(run.config, choice)?.agent.dialect;
  const reason = dialect ? whyNot({ label: dialect.label, capabilities: dialect.expected }, use) : null;
  if (reason !== null) throw new EngineRefusal(reason, "Choose a model of Hox's own agent.");
}

/** Whether a worker's agent can do something. */
export const can = (run: RunReader, worker: string, use: AgentUse): boolean =>
  whyNot(agentView(run, worker), use) === null;

/** @throws EngineRefusal with the reason where a worker's agent cannot do something */
export function refuseUse(run: RunReader, worker: string, use: AgentUse): void {
  const reason = whyNot(agentView(run, worker), use);
  if (reason !== null) throw new EngineRefusal(reason, `Send ${worker} a message, or reassign its task.`);
}
