import type { StartRole } from "#shared/contract/commands/start.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import type { AgentTables } from "../../external-agents/agents-of.ts";
import { findAgent, installHint } from "../../external-agents/dialects.ts";
import { priceOf } from "../../model/price-table.ts";
import { EngineRefusal, explain } from "../engine-errors.ts";
import { externalAgent } from "./external-agents.ts";
import { checkLogin } from "./subscription.ts";

/** Why an agent that was chosen for a task could not work here; null: it could. */
export function whyNoAgent(config: AgentTables, choice: string): string | null {
  try {
    checkChoice(config, choice, "agent");
    const dialect = externalAgent(config, choice)?.agent.dialect;
    if (dialect && findAgent(dialect, { model: null, maxTurns: 1 }) === null)
      throw new EngineRefusal(`${dialect.label} is not installed.`, installHint(dialect));
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
