import { realpath } from "node:fs/promises";
import type { ConversationOptions, TurnEnd } from "../../agent/agent-interface.ts";
import { createConversation } from "../../agent/conversation.ts";
import { priceOf } from "../../model/price.ts";
import { createRedactor, secretsOf } from "../../tools/redact.ts";
import type { Tool, ToolContext } from "../../tools/tool-interface.ts";
import { type WorkspaceFilesOptions, workspaceFiles } from "../../tools/workspace-files.ts";
import type { Run } from "../ports.ts";
import { environmentOf } from "../workspaces/worker-environment.ts";
import { gateOf } from "./budget.ts";
import type { Begin } from "./open-conversation.ts";

/**
 * Makes a worker's conversations, with everything that is said and spent journalled as it happens. What may fail
 * (no key, no folder) fails here, so that a conversation can be begun in one breath.
 */
export async function conversationsOf(
  run: Run,
  worker: string,
  options: {
    readonly system: string;
    readonly tools: readonly Tool[];
    readonly folder: string;
    readonly gate?: () => "pause" | "budget" | null;
    /** What its writing tools ask first: see `workspaceFiles`. */
    readonly overrides?: WorkspaceFilesOptions["overrides"];
    readonly keeps?: ConversationOptions["keeps"];
    readonly cachedFor?: ConversationOptions["cachedFor"];
  },
): Promise<Begin> {
  const driver = await run.driver();
  const context = await toolContext(run, worker, options.folder, options.overrides);
  return ({ iteration, ...begin } = {}) =>
    createConversation({
      driver,
      model: modelOf(run, worker),
      system: options.system,
      tools: options.tools,
      toolContext: context,
      requester: `${run.id}/${worker}`,
      ...answerSettings(run, worker),
      ...(options.keeps ? { keeps: options.keeps } : {}),
      ...(options.cachedFor ? { cachedFor: options.cachedFor } : {}),
      maxTurns: run.config.loopDefaults.maxTurns,
      gate: options.gate ?? gateOf(run, worker),
      onEntry: (entry) => run.record(worker, entry),
      onSpent: (spent, model) => run.spend(worker, spent, model),
      price: priceOf,
      ...begin,
      ...(iteration === undefined ? {} : { iteration }),
    });
}

/** How a worker's model answers, by what it is. */
export function answerSettings(
  run: Run,
  worker: string,
): Pick<ConversationOptions, "maxTokens" | "effort" | "compactAt"> {
  const { models } = run.config;
  const { compactAt } = models;
  const all = { maxTokens: models.maxOutputTokens, effort: models.effort ?? undefined, compactAt };
  switch (run.worker(worker).record.role) {
    case "orchestrator":
      return {
        ...all,
        maxTokens: models.orchestratorMaxOutputTokens ?? all.maxTokens,
        effort: models.orchestratorEffort ?? all.effort,
      };
    case "validator":
    case "reviewer":
      return {
        ...all,
        maxTokens: models.validatorMaxOutputTokens ?? all.maxTokens,
        effort: models.validatorEffort ?? all.effort,
      };
    case "agent":
    case "integrator":
      return all;
  }
}

export const modelOf = (run: Run, worker: string): string => {
  const { role, model } = run.worker(worker).record;
  if (model) return model;
  const { models, fold } = run.config;
  const special: Readonly<Partial<Record<typeof role, string | null>>> = {
    orchestrator: models.orchestrator,
    validator: models.validator,
    reviewer: fold.firstReviewer,
  };
  return special[role] ?? run.model;
};

export async function toolContext(
  run: Run,
  worker: string,
  folder: string,
  overrides?: WorkspaceFilesOptions["overrides"],
): Promise<ToolContext> {
  const workspace = await realpath(folder);
  return {
    workspace,
    agent: worker,
    signal: run.ending.signal,
    files: workspaceFiles({
      workspace,
      repository: run.repository.root,
      protectedFiles: run.config.protectedFiles,
      ...(overrides ? { overrides } : {}),
    }),
    sandbox: await run.sandbox(),
    environment: environmentOf(run, worker),
    redact: redactorOf(run),
  };
}

/** Hides what no worker may be told, whatever comes upon it: the key in use, and the secrets of the environment. */
export const redactorOf = (run: Run): ((text: string) => string) =>
  createRedactor([...secretsOf(process.env), ...run.secrets()]).redact;
/** Why a conversation that did not end with its tool is to be tried again, in words for a person. */
export const endWords = (end: TurnEnd): string => {
  switch (end.kind) {
    case "ended":
      return "it ended its turn without calling the tool that was asked for";
    case "turn-limit":
      return "it used up its turns without an answer";
    case "loop":
      return "it made the same calls with the same results over and over";
    case "cut":
      return end.reason === "max_tokens"
        ? "its answer was too long"
        : "its conversation filled the model's window";
    case "refused":
      return `it refused: ${end.text || "no reason given"}`;
    case "signal":
      return `it answered with ${end.signal.kind === "structured" ? end.signal.name : end.signal.kind}`;
    default:
      return end.kind;
  }
};
