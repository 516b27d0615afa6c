/** What each role asks of the configuration: its model, how that answers, what it may spend. */

import { type Archangel, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import type { Effort } from "#shared/domain/conversation/conversation.ts";
import type { Budget } from "#shared/domain/spending/budget.ts";
import type { WorkerRole } from "#shared/domain/worker/worker-record.ts";
import { archangelsOf } from "../config/archangels.ts";
import type { Config } from "../config/config-interface.ts";

/** How a worker's model answers. */
export interface AnswerSettings {
  readonly maxTokens: number;
  readonly effort: Effort | undefined;
  /** Of those who work in iterations. */
  readonly freshContextAt?: number;
}

export interface RoleSettings {
  /** The model of workers without their own; null: the run's. */
  readonly model: (config: Config, worker: string) => string | null;
  readonly answers: (config: Config) => AnswerSettings;
  /** The default budget of it and all below it. */
  readonly limits: (config: Config, worker: string) => Budget;
  /** Whether a spent budget keeps it from its next request. A vote is never cut off. */
  readonly stopsAtBudget: boolean;
}

const dollars = (usd: number | null): number | null => (usd === null ? null : Math.round(usd * 1e6));

/** Longest answer of a model; the answer after one that was cut off may be twice as long. */
const maxOutputTokens = 16_000;
/** From this share of the model's window on, an agent's next turn starts a fresh iteration. (PLAN-4) */
const freshContextAt = 0.6;

const asConfigured = ({ models }: Config): AnswerSettings => ({
  maxTokens: maxOutputTokens,
  effort: models.effort ?? undefined,
});

const asAgent = (config: Config): AnswerSettings => ({
  ...asConfigured(config),
  freshContextAt,
});

const limitsOfAgents = ({ loopDefaults }: Config): Budget => ({
  tokens: loopDefaults.maxTokens,
  microDollars: dollars(loopDefaults.maxBudgetUsd),
});

const noLimits = (): Budget => ({ tokens: null, microDollars: null });

const archangelFor = (config: Config, worker: string): Archangel | undefined =>
  archangelsOf(config).find(({ name }) => archangelWorker(name) === worker);

export const roleSettings: Readonly<Record<WorkerRole, RoleSettings>> = {
  orchestrator: {
    model: ({ models }) => models.orchestrator,
    answers: asConfigured,
    limits: ({ budget }) => ({
      tokens: budget.perOrchestratorTokens,
      microDollars: dollars(budget.perOrchestratorUsd),
    }),
    stopsAtBudget: true,
  },
  agent: {
    model: ({ models }) => models.agent,
    answers: asAgent,
    limits: limitsOfAgents,
    stopsAtBudget: true,
  },
  integrator: { model: () => null, answers: asAgent, limits: limitsOfAgents, stopsAtBudget: true },
  validator: {
    model: ({ models }) => models.validator,
    answers: asConfigured,
    limits: noLimits,
    stopsAtBudget: false,
  },
  // Counts for its caller, whose budget it stops at.
  fork: { model: () => null, answers: asConfigured, limits: noLimits, stopsAtBudget: true },
  reviewer: {
    model: ({ mergeRequests }) => mergeRequests.firstReviewer,
    answers: asConfigured,
    limits: noLimits,
    stopsAtBudget: true,
  },
  archangel: {
    model: (config, worker) => archangelFor(config, worker)?.model ?? config.mergeRequests.firstReviewer,
    answers: asConfigured,
    limits(config, worker) {
      const { tokens = null, microDollars = null } = archangelFor(config, worker) ?? {};
      return { tokens, microDollars };
    },
    stopsAtBudget: true,
  },
};
