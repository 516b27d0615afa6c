/** A run begins: with what the settings and the person allow, on ground that is checked before anything is made. */

import type { CommandInput } from "#shared/contract/commands.ts";
import { lfsWords } from "#shared/domain/files/lfs-words.ts";
import { freeRoot } from "#shared/domain/graph-words/address.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { attachmentProblem } from "#shared/domain/start/attachment.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/config-interface.ts";
import { excludeUnignored } from "../jj/unignored-folders.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { priceOf } from "../model/price.ts";
import { unpricedModels } from "../model/unpriced-models.ts";
import { labelledAttachment } from "./attached-files.ts";
import type { CurrentRun } from "./current-run.ts";
import { EngineRefusal } from "./engine-errors.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import { checkRunBase, chooseRunBase } from "./graph-sync/run-base.ts";
import type { ModelEvent } from "./model/run-events.ts";
import type { RunReader, RunWriter } from "./ports.ts";
import { configuredLimits, startLimits } from "./start-limits.ts";
import { rootOf } from "./workers/hierarchy.ts";

/** The first event of a run that was taken down. */
export function setOut(idle: RunReader & RunWriter): void {
  const { validation, loopDefaults } = idle.config;
  idle.dispatch({
    kind: "StartOrchestration",
    version: 2,
    limits: { repairRounds: validation.repairRounds, autoAdvance: loopDefaults.autoAdvance },
  });
}

export interface StartParts {
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly current: CurrentRun;
  readonly emit: (event: EngineEvent) => void;
}

/** @returns what starts a run; refuses while another one is being started or goes on */
export function createRunStarter(
  parts: StartParts,
): (input: CommandInput<"run.start">) => Promise<{ run: string }> {
  let isStarting = false;
  return async (input) => {
    if (isStarting)
      throw new EngineRefusal("A run is being started.", "Wait until it shows; there is one run at a time.");
    isStarting = true;
    try {
      return await startRun(parts, input);
    } finally {
      isStarting = false;
    }
  };
}

async function startRun(parts: StartParts, input: CommandInput<"run.start">): Promise<{ run: string }> {
  const { options, current, emit } = parts;
  const going = current.going();
  if (going)
    throw new EngineRefusal(
      `The run "${startOf(going.row.input.goal, 80)}" is going on.`,
      "Stop it, or wait until it is complete.",
    );
  const { config, path } = await soundConfig(options.repository.root);
  const model = input.model ?? (path === null ? options.settings().model : config.models.default);
  for (const asked of [model, ...Object.values(input.models ?? {})]) priceOf(noUsage, asked);
  refuseAttachments(input);
  refuseUnknownIdea(parts.journal, input.idea);
  // Whatever is missing is said before anything is made.
  await options.driverFor({ rehearsal: input.rehearsal, apiKeyEnv: config.models.apiKeyEnv });
  await options.repository.importGit();
  const base = await chooseRunBase(options.repository, input.onto);
  if (input.rehearsal === null) {
    await checkRunBase(options.repository, base);
    await announceBase(options, base.change, emit);
  }
  const row = takeDown(parts, input, { config, model, base });
  const started = current.open(row, config);
  emit({ kind: "inbox", items: [] });
  setOut(started);
  current.flush();
  return { run: row.id };
}

function refuseAttachments({ attachments = [] }: CommandInput<"run.start">): void {
  const problem = attachmentProblem(attachments.map((one) => labelledAttachment(one).label));
  if (problem !== null) throw new EngineRefusal(problem, "Leave it out, or attach less of it.");
}

function refuseUnknownIdea(journal: Journal, idea: string | undefined): void {
  if (idea === undefined || journal.ideas().some((one) => one.id === idea)) return;
  throw new EngineRefusal(
    `There is no idea ${startOf(idea, 40)}.`,
    "Choose one of those that are kept, or start without.",
  );
}

/** The file's settings; refuses one with a mistake, so that nobody takes the defaults for what it says. */
async function soundConfig(root: string): ReturnType<typeof loadConfig> {
  const loaded = await loadConfig(root, unpricedModels);
  const broken = loaded.problems.find((problem) => problem.level === "error");
  if (broken)
    throw new EngineRefusal(`.hox/config.toml, line ${broken.line}: ${broken.message}`, broken.remedy);
  return loaded;
}

/** What a person should know of what a run begins on. */
async function announceBase(
  { repository }: EngineOptions,
  { commitId }: Change,
  emit: (event: EngineEvent) => void,
): Promise<void> {
  for (const text of await excludeUnignored(repository.root))
    emit({ kind: "notice", level: "info", text, remedy: null });
  if (await repository.signsCommits())
    emit({
      kind: "notice",
      level: "info",
      text: "Git signs your commits here (commit.gpgSign). What lands is not signed: agents must not meet a question for a passphrase.",
      remedy: `After landing, sign it yourself: \`git rebase --rebase-merges --force-rebase --gpg-sign ${commitId.slice(0, 12)}\`.`,
    });
  const lfs = lfsWords(await repository.lfsFiles(commitId));
  if (lfs !== null) emit({ kind: "notice", level: "warning", ...lfs });
}

/** Names of the roots of runs that go on: no other may be called so while they do. */
const rootsGoing = (journal: Journal): readonly string[] =>
  journal.runs().flatMap((row) => (row.endedAt === null ? [rootOf({ row })] : []));

/** Into the journal, all of it or nothing. */
function takeDown(
  { options, journal }: StartParts,
  input: CommandInput<"run.start">,
  {
    config,
    model,
    base,
  }: {
    readonly config: Config;
    readonly model: string;
    readonly base: Awaited<ReturnType<typeof chooseRunBase>>;
  },
): RecordedRunRow {
  const id = options.newId();
  const limits = startLimits(input, configuredLimits(config, options.settings()));
  const attached = (input.attachments ?? []).map(labelledAttachment);
  // A rehearsal is what its script says.
  const isQuick = input.rehearsal === null && (input.quick ?? config.run.quick);
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
      ...(input.attempts !== undefined && input.attempts > 1 ? { attempts: input.attempts } : {}),
      ...(isQuick ? { isQuick } : {}),
      root: freeRoot(rootsGoing(journal)),
      ...(input.models ? { models: input.models } : {}),
      ...(input.efforts ? { efforts: input.efforts } : {}),
      ...(attached.length > 0 ? { attachments: attached.map(({ label }) => label) } : {}),
    });
    journal.setConfig(id, config);
    if (attached.length > 0)
      journal.setAttachments(
        id,
        attached.map(({ label, data }) => ({ name: label.name, data })),
      );
    const prepared: readonly ModelEvent[] = [
      { kind: "RunLimitsSet", limits },
      { kind: "GroundChosen", onto: { changeId, commitId }, branch: base.branch },
    ];
    for (const event of prepared) journal.addModelEvent(id, event);
    const idea = journal.ideas().find((one) => one.id === input.idea);
    if (idea) journal.setIdea({ ...idea, run: id });
  });
  const row = journal.runs().find((one) => one.id === id);
  if (!row) throw new Error("The journal lost a run that it had just taken.");
  return row;
}
