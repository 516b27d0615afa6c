/**
 * Starts a run: with the limits of settings and user, on a base that is checked before anything is created.
 */

import type { StartRole } from "#shared/contract/commands/start.ts";
import type { CommandInput } from "#shared/contract/commands.ts";
import type { Settings } from "#shared/contract/settings.ts";
import { freeRoot } from "#shared/domain/change-metadata/address.ts";
import { lfsNotice } from "#shared/domain/files/lfs-pointer.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { Budget } from "#shared/domain/spending/budget.ts";
import { attachmentProblem } from "#shared/domain/start/attachment.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { archangelsOf } from "../config/archangels.ts";
import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/config-interface.ts";
import { userBase } from "../jj/ports/graph-reader.ts";
import { excludeUnignored } from "../jj/workspaces/unignored-folders.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { unpricedModels } from "../model/price-table.ts";
import { labelledAttachment } from "./attached-files.ts";
import { checkChoice } from "./conversations/check-choice.ts";
import { externalAgent } from "./conversations/external-agents.ts";
import { EngineRefusal } from "./engine-errors.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import { checkRunBase, chooseRunBase } from "./graph-sync/run-base.ts";
import { inform } from "./kernel/notify.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Run } from "./ports.ts";
import { runName } from "./run-commands.ts";
import { isQuick, isWatch, rootOf } from "./workers/hierarchy.ts";

/** The first event of a run that was taken down. */
export function setOut(idle: Run): void {
  const { validation, loopDefaults } = idle.config;
  idle.dispatch({
    kind: "StartOrchestration",
    ...(isWatch(idle) ? { watch: true } : {}),
    limits: { repairRounds: validation.repairRounds, autoAdvance: loopDefaults.autoAdvance },
  });
}

export interface StartParts {
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly runs: OpenRuns;
  readonly emit: (event: EngineEvent) => void;
}

/** @returns what starts a run; refuses while another one is being started */
export function createRunStarter(
  parts: StartParts,
): (input: CommandInput<"run.start">, by?: string) => Promise<{ run: string }> {
  let isStarting = false;
  return async (input, by) => {
    if (isStarting)
      throw new EngineRefusal("Another run is starting.", "Wait until it has started, then start this one.");
    isStarting = true;
    try {
      return await startRun(parts, input, by);
    } finally {
      isStarting = false;
    }
  };
}

/** An agent of another make that is named as the run's model is meant for agents; all others have the configured model. */
function withAgents(config: Config, input: CommandInput<"run.start">): CommandInput<"run.start"> {
  const { model, models } = input;
  return model && externalAgent(config, model)
    ? { ...input, model: null, models: { ...models, agent: model } }
    : input;
}

async function startRun(
  parts: StartParts,
  asked: CommandInput<"run.start">,
  by: string | undefined,
): Promise<{ run: string }> {
  const { options, runs, emit } = parts;
  const { config, path } = await soundConfig(options);
  const input = withAgents(config, asked);
  if (input.watch) refuseWatch(runs, input, config);
  else refuseParallelRun(runs, input, config);
  const model = input.model ?? (path === null ? options.settings().model : config.models.default);
  checkChoice(config, model, "orchestrator");
  if (config.models.agent !== null) checkChoice(config, config.models.agent, "agent");
  for (const [role, choice] of Object.entries(input.models ?? {}))
    checkChoice(config, choice, role as StartRole);
  refuseValidators(input, config);
  refuseAttachments(input);
  refuseUnknownIdea(parts.journal, input.idea);
  // Errors are reported before anything is created.
  await options.driverFor({ rehearsal: input.rehearsal, apiKeyEnv: config.models.apiKeyEnv });
  await options.repository.importGit();
  // A watch has no base: it reports the folder's changes since its last commit.
  const base = await chooseRunBase(options.repository, input.watch ? await watchBase(options) : input.onto);
  if (input.rehearsal === null && !input.watch) {
    await checkRunBase(options.repository, base);
    await announceBase(options, base.change, emit);
  }
  const row = takeDown(parts, input, { config, model, base, by });
  const started = runs.open(row, config);
  runs.showInbox();
  setOut(started);
  runs.flush();
  return { run: row.id };
}

/** What would meet every other: a rehearsal, whose agents have their names from a script, and one that plans no files. */
function refuseParallelRun(runs: OpenRuns, input: CommandInput<"run.start">, config: Config): void {
  // A watch touches no file.
  const going = runs.going().filter((run) => !isWatch(run));
  const [other] = going;
  if (!other) return;
  const remedy = `Wait until ${runName(other)} is complete, or stop it.`;
  const rehearsed = going.find((run) => run.row.input.rehearsal !== null);
  if (input.rehearsal !== null || rehearsed)
    throw new EngineRefusal(
      `A rehearsal can't run at the same time as another run, and ${runName(rehearsed ?? other)} is active.`,
      remedy,
    );
  const alone = going.find(isQuick);
  if (alone)
    throw new EngineRefusal(
      `${runName(alone)} is a quick run: its agent can change any file.`,
      `Wait until it is complete, or stop it.`,
    );
  if (wantsQuick(input, config))
    throw new EngineRefusal(
      `A quick run can change any file, and ${runName(other)} is active.`,
      `Start a planned run, which declares its files. ${remedy}`,
    );
}

/** The base of the user's files: their Git branch if there is one. */
const watchBase = async ({ repository }: EngineOptions): Promise<string | null> =>
  (await repository.gitStand())?.isManagedByGit ? null : userBase;

/** Refuses a watch without sessions to read or an archangel to wake. */
function refuseWatch(runs: OpenRuns, { rehearsal }: CommandInput<"run.start">, config: Config): void {
  if (rehearsal !== null)
    throw new EngineRefusal("A rehearsal can't review sessions.", "Start the watch without --rehearsal.");
  const other = runs.going().find(isWatch);
  if (other)
    throw new EngineRefusal(
      "Archangels already review sessions in this repository.",
      `No action needed. To stop it: hox stop --run ${rootOf(other)}`,
    );
  if (!config.sessions.enabled)
    throw new EngineRefusal(
      "Sessions outside Hox are not read: .hox/config.toml sets sessions.enabled = false.",
      "Remove that line, then start again.",
    );
  if (!archangelsOf(config).some(({ isOn, wakes }) => isOn && wakes.includes("session_turn")))
    throw new EngineRefusal(
      "All archangels that review sessions are off.",
      "Turn one on first, for example: hox archangels on security",
    );
}

/** What the repository asks of every run is not for one run to change, and one validator is no panel. */
function refuseValidators({ validators }: CommandInput<"run.start">, config: Config): void {
  const { panel } = config.workflow;
  if (validators === "panel" && config.validation.validatorCount === 1)
    throw new EngineRefusal(
      "No panel possible: validation.validator_count is 1.",
      "Set it to 4 in .hox/config.toml, or start without a panel.",
    );
  if (validators === undefined || panel === "auto" || (panel === "on") === (validators === "panel")) return;
  throw new EngineRefusal(
    `The run can't have ${validators === "panel" ? "a panel" : "one validator"}: .hox/config.toml sets workflow.panel = "${panel}" for every run.`,
    "Change that line, or start without choosing validators.",
  );
}

function refuseAttachments({ attachments = [] }: CommandInput<"run.start">): void {
  const problem = attachmentProblem(attachments.map((one) => labelledAttachment(one).label));
  if (problem !== null) throw new EngineRefusal(problem, "Remove it, or attach a smaller part.");
}

function refuseUnknownIdea(journal: Journal, idea: string | undefined): void {
  if (idea === undefined || journal.ideas().some((one) => one.id === idea)) return;
  throw new EngineRefusal(`No idea ${startOf(idea, 40)}.`, "Choose a saved idea, or start without one.");
}

/** The file's settings; refuses one with an error, so that defaults are not used silently. */
export async function soundConfig({
  repository: { root },
  stateFolder,
  settings,
}: Pick<EngineOptions, "repository" | "stateFolder" | "settings">): ReturnType<typeof loadConfig> {
  const loaded = await loadConfig({ root, stateFolder, settings: settings() }, unpricedModels);
  const broken = loaded.problems.find((problem) => problem.level === "error");
  if (broken)
    throw new EngineRefusal(`.hox/config.toml, line ${broken.line}: ${broken.message}`, broken.remedy);
  return loaded;
}

/** Notices about a run's base. */
async function announceBase(
  { repository }: EngineOptions,
  { commitId }: Change,
  emit: (event: EngineEvent) => void,
): Promise<void> {
  for (const text of await excludeUnignored(repository.root)) inform({ emit }, text);
  if (await repository.signsCommits())
    inform(
      { emit },
      "Git signs your commits here (commit.gpgSign), but landed commits are not signed, because agents can't enter a passphrase.",
      `After landing, sign them yourself: \`git rebase --rebase-merges --force-rebase --gpg-sign ${commitId.slice(0, 12)}\`.`,
    );
  const lfs = lfsNotice(await repository.lfsFiles(commitId));
  if (lfs !== null) emit({ kind: "notice", level: "warning", ...lfs });
}

/** A rehearsal is what its script says. */
const wantsQuick = ({ rehearsal, quick }: CommandInput<"run.start">, config: Config): boolean =>
  rehearsal === null && (quick ?? config.run.quick);

/** Names of the root orchestrators of active runs, which are taken. */
const rootsGoing = (journal: Journal): readonly string[] =>
  journal.runs().flatMap((row) => (row.endedAt === null ? [rootOf({ row })] : []));

/** In place of a root: a watch has no orchestrator, and takes no name that a run may need. */
const watchRoot = "watch";

/** Into the journal, all of it or nothing. */
function takeDown(
  { options, journal }: StartParts,
  input: CommandInput<"run.start">,
  {
    config,
    model,
    base,
    by,
  }: {
    readonly config: Config;
    readonly model: string;
    /** Who starts it, where several people may. */
    readonly by: string | undefined;
    readonly base: Awaited<ReturnType<typeof chooseRunBase>>;
  },
): RecordedRunRow {
  const id = options.newId();
  // A watch has a budget per day, and no end at which another one would hold.
  const limits = input.watch
    ? { tokens: null, microDollars: null }
    : startLimits(input, configuredLimits(config, options.settings()));
  const attached = (input.attachments ?? []).map(labelledAttachment);
  const { changeId, commitId } = base.change;
  journal.together(() => {
    journal.addRun(id, {
      goal: input.goal,
      orchestrators: input.orchestrators,
      maxTokens: limits.tokens,
      maxMicroDollars: limits.microDollars,
      onto: input.onto,
      rehearsal: input.rehearsal,
      model,
      attempts: input.attempts ?? 1,
      isWatch: input.watch === true,
      isQuick: input.watch !== true && wantsQuick(input, config),
      ...(input.validators === undefined ? {} : { validators: input.validators }),
      ...(input.on === undefined ? {} : { on: input.on }),
      root: input.watch ? watchRoot : freeRoot(rootsGoing(journal)),
      models: input.models ?? {},
      efforts: input.efforts ?? {},
      ...(input.issue === undefined ? {} : { issue: input.issue }),
      ...(by === undefined ? {} : { startedBy: by }),
      attachments: attached.map(({ label }) => label),
    });
    journal.setConfig(id, config);
    if (attached.length > 0)
      journal.setAttachments(
        id,
        attached.map(({ label, data }) => ({ name: label.name, data })),
      );
    const prepared: readonly RunEvent[] = [
      { kind: "RunLimitsSet", limits },
      ...(input.maxIterations === undefined
        ? []
        : [{ kind: "IterationsSet" as const, maxIterations: input.maxIterations }]),
      {
        kind: "BaseChosen",
        onto: { changeId, commitId, isOnBranch: base.isOnBranch },
        branch: base.branch,
      },
    ];
    for (const event of prepared) journal.addEvent(id, event);
    const idea = journal.ideas().find((one) => one.id === input.idea);
    if (idea) journal.setIdea({ ...idea, run: id });
  });
  const row = journal.runs().find((one) => one.id === id);
  if (!row) throw new Error("The journal lost a run that was just recorded.");
  return row;
}

/** The default: the repository's `[budget]`, else the app's settings. */
export const configuredLimits = ({ budget }: Config, settings: Settings): Budget => ({
  tokens: budget.maxTokens ?? settings.defaultTokens,
  microDollars: budget.maxUsd === null ? settings.defaultMicroDollars : Math.round(budget.maxUsd * 1e6),
});

/**
 * What a run may spend when it starts, and what its plan says of that. (PLAN-4, HOX-9.3)
 *
 * The user's values win, including null for no limit.
 */
export function startLimits(
  { maxTokens, maxMicroDollars }: Pick<CommandInput<"run.start">, "maxTokens" | "maxMicroDollars">,
  configured: Budget,
): Budget {
  return {
    tokens: maxTokens === undefined ? configured.tokens : maxTokens,
    microDollars: maxMicroDollars === undefined ? configured.microDollars : maxMicroDollars,
  };
}

/**
 * A proposed plan with the budget that would apply if it were approved unchanged. The user's limits win over
 * the model's proposal, so editing the plan's budget edits what the run may spend.
 */
export const withinLimits = (plan: Plan, limits: Budget): Plan => ({
  ...plan,
  budget: {
    tokens: limits.tokens ?? plan.budget.tokens,
    microDollars: limits.microDollars ?? plan.budget.microDollars,
  },
});
