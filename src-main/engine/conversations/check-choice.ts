import type { StartRole } from "#shared/contract/commands/start.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import type { AgentTables, ExternalAgent } from "../../external-agents/agents-of.ts";
import { findAgent, installHint } from "../../external-agents/dialects.ts";
import { priceOf } from "../../model/price-table.ts";
import { EngineRefusal, explain } from "../engine-errors.ts";
import { externalAgent, travelRule } from "./external-agents.ts";
import { checkLogin } from "./subscription.ts";

/** Whether a worker has an agent of another make, by its name. */
export type IsOnWorker = (agent: string) => boolean;

/** Where an agent of another make is installed that may work there; null: nowhere. */
export function whereInstalled(agent: ExternalAgent, isOnWorker: IsOnWorker): "host" | "worker" | null {
  if (findAgent(agent.dialect, { model: null, maxTurns: 1 }) !== null) return "host";
  const rule = travelRule({ agent });
  return rule.kind === "with-agent" && isOnWorker(rule.agent) ? "worker" : null;
}

/** Why an agent that was chosen for a task could not work; null: it could. */
export function whyNoAgent(config: AgentTables, choice: string, isOnWorker: IsOnWorker): string | null {
  try {
    checkChoice(config, choice, "agent");
    const other = externalAgent(config, choice);
    if (other !== null && whereInstalled(other.agent, isOnWorker) === null)
      throw new EngineRefusal(
        `${other.agent.dialect.label} is not installed.`,
        installHint(other.agent.dialect),
      );
    return null;
  } catch (error) {
    const { message, remedy } = explain(error);
    return [message, remedy].filter(Boolean).join(" ");
  }
}

/**
 * Refuses a choice of agent or model with which no agent could work.
 *
 * @param role of whom it is; Hox's own agent plans, integrates and judges
 * @throws EngineRefusal, or Error for a model without a price, which no budget could hold
 */
export function checkChoice(config: AgentTables, choice: string, role: StartRole): void {
  const other = externalAgent(config, choice);
  if (other === null) {
    priceOf(noUsage, choice);
    return;
  }
  const { agent, model } = other;
  if (role !== "agent")
    throw new EngineRefusal(
      `${agent.dialect.label} can't be the ${role}: agents of other makes work on tasks only.`,
      `Choose it for agents, with --model ${agent.name}/<model> or models.agent, and a model for the ${role}.`,
    );
  if (model === null)
    throw new EngineRefusal(
      `${agent.dialect.label} has no model.`,
      `Name one: ${agent.name}/<model>, or model of its [[agent]] in .hox/config.toml.`,
    );
  if (agent.isSubscription) checkLogin(agent);
  else agent.price(noUsage, model);
}
