import type { ModelCheckView, StartChoicesView, StartRole } from "#shared/contract/commands/start.ts";
import { parseIssueReference } from "#shared/domain/forge/forge-address.ts";
import { notMetered } from "#shared/domain/spending/unmetered.ts";
import { matchingFiles } from "#shared/domain/start/attachment.ts";
import { loadConfig } from "../../../../config/config.ts";
import type { Config } from "../../../../config/config-interface.ts";
import { readTemplates, removeTemplate, writeTemplate } from "../../../../config/goal-templates.ts";
import { trustSettings } from "../../../../config/trusted-settings.ts";
import { agentsOf, type ExternalAgent } from "../../../../external-agents/agents-of.ts";
import { findStartIssues, readStartIssue } from "../../../../forge/start-issue.ts";
import type { Journal } from "../../../../journal/journal.ts";
import type { ModelDriver } from "../../../../model/driver-interface.ts";
import { ModelError } from "../../../../model/model-error.ts";
import { shippedPrices, unpricedModels } from "../../../../model/price-table.ts";
import { type IsOnWorker, whereInstalled, whyNoAgent } from "../../../conversations/check-choice.ts";
import { externalAgent } from "../../../conversations/external-agents.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import { chooseRunBase } from "../../../graph-sync/run-base.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { roleSettings } from "../../../role-settings.ts";
import { configuredLimits } from "../../../start-run.ts";

/** The user's choices for a new run, and help with them. */
export const startChoices: Feature<Run> = {
  name: "start-choices",
  commands({ repository, stateFolder, journal, settings, driverFor, forges, places }) {
    const isOnWorker: IsOnWorker = (agent) => places?.has({ label: null, agent }) ?? false;
    /** Paths of the commit that was looked at last: each letter that is typed asks again. */
    let listed: { readonly commit: string; readonly files: Promise<readonly string[]> } | null = null;
    const configuration = () =>
      loadConfig({ root: repository.root, stateFolder, settings: settings() }, unpricedModels);
    return {
      async "start.choices"() {
        const { config, path, untrusted } = await configuration();
        const defaultModel = path === null ? settings().model : config.models.default;
        return {
          limits: configuredLimits(config, settings()),
          maxIterations: config.loopDefaults.maxIterations,
          on: config.workspace.workers,
          ...choicesIn(config, defaultModel, isOnWorker),
          last: lastChoices(journal),
          untrusted,
        };
      },
      async "start.answerSettings"({ texts, answer }) {
        const { untrusted } = await configuration();
        const asked = untrusted.map(({ text }) => text).filter((text) => texts.includes(text));
        await trustSettings(stateFolder, asked, answer);
      },
      async "start.checkModel"({ model }) {
        const { config } = await configuration();
        const other = externalAgent(config, model);
        if (other !== null) return checkAgent(config, model, other.agent, isOnWorker);
        return checkModel(() => driverFor({ rehearsal: null, apiKeyEnv: config.models.apiKeyEnv }), model);
      },
      async "start.files"({ typed, most }) {
        const { change } = await chooseRunBase(repository, null);
        if (listed?.commit !== change.commitId)
          listed = { commit: change.commitId, files: repository.listFiles(change.commitId) };
        const { files } = listed;
        try {
          return matchingFiles(await files, typed, most);
        } catch (error) {
          // The next letter tries again.
          if (listed.files === files) listed = null;
          throw error;
        }
      },
      async "start.issues"({ typed }) {
        return forges === undefined ? noForge : findStartIssues(forges, await repository.remotes(), typed);
      },
      async "start.issue"({ issue }) {
        const reference = parseIssueReference(issue);
        if (reference === null || forges === undefined)
          throw new EngineRefusal(noForge.reason, noForge.remedy);
        return readStartIssue(forges, await repository.remotes(), reference);
      },
      "start.templates": () => readTemplates(repository.root),
      "start.saveTemplate": (template) => writeTemplate(repository.root, template),
      "start.removeTemplate": ({ name }) => removeTemplate(repository.root, name),
    };
  },
};

/** A host without accounts. */
const noForge = {
  kind: "no-forge",
  reason: "No forge can be reached from here.",
  remedy: "Give the goal in your own words.",
} as const;

function choicesIn(
  config: Config,
  defaultModel: string,
  isOnWorker: IsOnWorker,
): Pick<StartChoicesView, "isQuick" | "panel" | "models" | "efforts" | "agents" | "known"> {
  const model = (role: StartRole): string => roleSettings[role].model(config, "") ?? defaultModel;
  const effort = (role: StartRole) => roleSettings[role].answers(config).effort ?? null;
  return {
    isQuick: config.run.quick,
    panel: {
      mode: config.workflow.panel,
      count: config.validation.validatorCount,
      threshold: config.validation.consensusThreshold,
      strategy: config.validation.strategy,
      models: config.validation.models,
    },
    models: {
      orchestrator: model("orchestrator"),
      agent: model("agent"),
      integrator: model("integrator"),
      validator: model("validator"),
    },
    efforts: {
      orchestrator: effort("orchestrator"),
      agent: effort("agent"),
      integrator: effort("integrator"),
      validator: effort("validator"),
    },
    agents: agentsOf(config).map(({ name, dialect: { label, expected } }) => ({
      ...{ name, label, capabilities: expected },
    })),
    known: [
      ...Object.entries(shippedPrices().models).map(([name, facts]) => ({ name, hasEffort: facts.effort })),
      ...agentsOf(config).flatMap((agent) =>
        modelsOf(agent, isOnWorker).map((name) => ({ name, hasEffort: false })),
      ),
    ],
  };
}

/** Choices of an agent of another make that is installed: with its own model, and those of its provider with a price. */
function modelsOf(agent: ExternalAgent, isOnWorker: IsOnWorker): readonly string[] {
  if (whereInstalled(agent, isOnWorker) === null) return [];
  const { name, wire, model } = agent;
  const priced = Object.keys(shippedPrices(wire).models);
  return [...new Set([...(model === null ? [] : [model]), ...priced])].map((one) => `${name}/${one}`);
}

/** Whether an agent of another make could work here. */
function checkAgent(
  config: Config,
  choice: string,
  agent: ExternalAgent,
  isOnWorker: IsOnWorker,
): ModelCheckView {
  const { dialect, isSubscription } = agent;
  const reason = whyNoAgent(config, choice, isOnWorker);
  if (reason !== null) return { outcome: "refused", words: reason, remedy: null };
  const where = whereInstalled(agent, isOnWorker) === "worker" ? " on a worker" : "";
  const login = isSubscription ? ` and uses your login: ${notMetered}` : "";
  return {
    outcome: "ok",
    words: `${dialect.label} is installed${where}${login}.`,
    remedy: null,
  };
}

/** Of the newest run that was no rehearsal. */
function lastChoices(journal: Journal): StartChoicesView["last"] {
  const input = journal
    .runs()
    .find(({ input: { rehearsal, isWatch } }) => rehearsal === null && !isWatch)?.input;
  if (!input) return null;
  return {
    isQuick: input.isQuick,
    attempts: input.attempts,
    validators: input.validators,
    models: { agent: input.model, ...input.models },
    efforts: input.efforts,
    limits: { tokens: input.maxTokens, microDollars: input.maxMicroDollars },
  };
}

async function checkModel(driver: () => Promise<ModelDriver>, model: string): Promise<ModelCheckView> {
  try {
    const known = await driver();
    await known.checkModel?.(model, AbortSignal.timeout(10_000));
    return { outcome: "ok", words: `Your key works with ${model}.`, remedy: null };
  } catch (error) {
    const { message, remedy } = explain(error);
    const isRefused =
      !(error instanceof ModelError) ||
      ["authentication", "permission", "model-not-found", "credit", "invalid-request"].includes(error.kind);
    return { outcome: isRefused ? "refused" : "unreachable", words: message, remedy };
  }
}
