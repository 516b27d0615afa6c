/** The steps of opening a repository, so that runs resume where the last host left them. */

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { minDowntimeMs } from "#shared/domain/downtime/downtime-events.ts";
import { awaySummary } from "#shared/domain/run/away-summary.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { Config } from "../config/config-interface.ts";
import type { WatchedConfig } from "../config/config-watch.ts";
import { defaultConfig } from "../config/settings.ts";
import { adoptSandboxes } from "../external-agents/kept-runner.ts";
import { waitForOrphans } from "../jj/process/orphan-processes.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { endOrphanedSandboxes } from "../tools/sandbox/process-tree.ts";
import type { EngineEvent, EngineOptions, Landings } from "./engine-interface.ts";
import { settleRestoring } from "./features/landing/restore/feature.ts";
import { followConfig } from "./follow-repository.ts";
import type { Feature } from "./kernel/feature.ts";
import { followMove, settleWhatWasGone } from "./moved-repository/repository-gone.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Run } from "./ports.ts";
import { setOut } from "./start-run.ts";
import { withdrawBudgetCards } from "./workers/worker-limits.ts";
import { recoverOrphanedWorkspaces } from "./workspaces/recover-orphaned-workspaces.ts";

export interface StartUp {
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly features: readonly Feature<Run>[];
  readonly runs: OpenRuns;
  readonly landings: Pick<Landings, "follow">;
  readonly emit: (event: EngineEvent) => void;
  readonly mendDivergence: () => Promise<void>;
  /** Of the newest run. */
  readonly last: RecordedRunRow | undefined;
  readonly configuration: WatchedConfig;
  /** The configuration that the last run was left with. */
  readonly lastGood: Config | undefined;
}

/** Before anything is read of the repository. @returns the configuration, which is followed from now on */
export async function beforeOpening({
  options,
  journal,
  runs,
  emit,
}: Pick<StartUp, "options" | "journal" | "runs" | "emit">): Promise<
  Pick<StartUp, "last" | "configuration" | "lastGood">
> {
  const damage = journalNotice(journal);
  if (damage !== null) setImmediate(() => emit(damage));
  await followMove(options.repository, options.stateFolder, emit);
  const last = journal.runs()[0];
  const lastGood = last ? journal.config<Config>(last.id) : undefined;
  const configuration = await followConfig(
    { root: options.repository.root, stateFolder: options.stateFolder, settings: options.settings },
    lastGood ?? defaultConfig,
    emit,
    (config) => {
      options.inForce?.(config);
      for (const run of runs.shown()) run.applyConfig(config);
      for (const run of runs.going()) withdrawBudgetCards(run);
    },
  );
  options.inForce?.(configuration.config);
  return { last, configuration, lastGood };
}

interface Step {
  readonly name: string;
  /** Not without `autostart`, as for a command that makes one edit and exits. */
  readonly isForLive?: boolean;
  readonly of: "run" | "unfinished-run";
  readonly perform: (startUp: StartUp & { readonly run: Run }) => void | Promise<void>;
}

/** The order matters: each step relies on the repairs of those before it. */
const steps: readonly Step[] = [
  {
    // Before anything else is written: it looks when that was done last.
    name: "record how long no host was running",
    of: "unfinished-run",
    isForLive: true,
    perform({ run, options }) {
      const leftAt = lastSignOf(run);
      if (options.now() - leftAt >= minDowntimeMs) run.append({ kind: "HostReturned", leftAt });
      // The next request finds out whether the provider is still unavailable.
      if (run.facts.downtime.isProviderAwaited && run.providerLimit === null)
        run.append({ kind: "ProviderWaitEnded" });
    },
  },
  {
    name: "apply configuration changes made while no host was running",
    of: "run",
    perform({ run, configuration, lastGood }) {
      if (configuration.config === lastGood) return;
      run.applyConfig(configuration.config);
      withdrawBudgetCards(run);
    },
  },
  {
    // Operations of a killed host are completed before the graph is read.
    name: "wait for jj processes of a killed host",
    of: "unfinished-run",
    perform: ({ options: { repository, stateFolder } }) =>
      waitForOrphans([repository.root, join(stateFolder, "workspaces")]),
  },
  {
    name: "end sandboxes of a killed host",
    of: "run",
    isForLive: true,
    perform: async ({ options: { stateFolder } }) =>
      endOrphanedSandboxes(realpathSync(stateFolder), await adoptSandboxes(stateFolder)),
  },
  {
    name: "finish interrupted undo operations",
    of: "unfinished-run",
    async perform({ run, runs }) {
      await settleRestoring(run);
      if (isOver(run.state)) void runs.finish(run);
    },
  },
  { name: "repair divergence", of: "run", perform: ({ mendDivergence }) => mendDivergence() },
  {
    name: "withdraw cards about a missing repository or program",
    of: "run",
    isForLive: true,
    perform: ({ run }) => settleWhatWasGone(run),
  },
  {
    name: "read the graph",
    of: "run",
    perform: ({ run, runs }) => run.refreshChanges().catch((error) => runs.fail(run, error)),
  },
  {
    // The process ended between taking the run down and its first event.
    name: "start a run that was recorded but not started",
    of: "run",
    isForLive: true,
    perform({ run }) {
      if (run.state.current.stage === "idle") setOut(run);
    },
  },
  {
    name: "finish interrupted work of features",
    of: "unfinished-run",
    isForLive: true,
    async perform({ run, features }) {
      for (const { recover } of features) await recover?.(run);
    },
  },
  {
    name: "report what was waiting while no host was running",
    of: "unfinished-run",
    isForLive: true,
    perform: notifyDowntime,
  },
  { name: "schedule pending work", of: "unfinished-run", perform: ({ run }) => run.schedule() },
  {
    name: "finish an ended run, or measure its disk use",
    of: "run",
    isForLive: true,
    perform({ run, runs }) {
      if (!isOver(run.state)) return;
      // Its host ended before its hooks did.
      if (run.facts.hasPendingHooks) void runs.finish(run);
      else for (const worker of run.workers.keys()) run.diskUse.look(worker);
    },
  },
];

/** Opens the active runs and the newest one, and resumes them. */
export async function startUp(given: StartUp): Promise<void> {
  const { options, journal, runs, landings, emit, last, configuration, mendDivergence } = given;
  const { autostart = true } = options;
  if (autostart) {
    const known = new Set(journal.runs().map(({ id }) => id));
    await recoverOrphanedWorkspaces(options.repository, options.stateFolder, known, emit);
  }
  if (!last) return mendDivergence();
  const unfinished = journal.runs().filter((row) => row.endedAt === null || row.id === last.id);
  const opened = unfinished.toReversed().map((row) => runs.open(row, configuration.config));
  // Step by step for all of them: none starts before the base is the same for all.
  for (const { of, isForLive = false, perform } of steps) {
    if (isForLive && !autostart) continue;
    for (const run of opened) if (of === "run" || !isOver(run.state)) await perform({ ...given, run });
  }
  // A branch was moved while Hox was closed, or a host ended before recording its move.
  if (autostart) await landings.follow();
}

/** When something last happened in a run: an event, or a model's answer. */
const lastSignOf = ({ row, spending, journal }: Run): number =>
  Math.max(row.startedAt, spending.history.at(-1)?.[0] ?? 0, journal.lastEventAt(row.id) ?? 0);

function notifyDowntime({ run, options, emit }: StartUp & { readonly run: Run }): void {
  const { row, spending } = run;
  const summary = awaySummary(
    {
      goal: row.input.goal,
      goesOn: run.state.pause === "none",
      spent: spending.total.microDollars,
      limit: run.facts.limits.microDollars,
      waiting: run.inbox.items().length,
      inHands: [...run.workers.values()]
        .filter(({ record }) => record.control.kind === "user")
        .map(({ record }) => record.name),
    },
    options.now() - Math.max(row.startedAt, spending.history.at(-1)?.[0] ?? 0),
  );
  if (summary) emit({ kind: "notice", level: "info", ...summary });
}

/** The notice of a journal that was found damaged, or null if it is intact. */
function journalNotice({ path, quarantine, hasLostEnd }: Journal): EngineEvent | null {
  if (quarantine !== null)
    return {
      kind: "notice",
      level: "warning",
      text: `The journal was damaged. Hox moved it to ${quarantine} and started a new one. All work is safe in jj.`,
      remedy: "Conversations and statistics of earlier runs are in the moved file.",
    };
  if (hasLostEnd)
    return {
      kind: "notice",
      level: "warning",
      text: `The end of the journal ${path} is missing: the latest answers, votes and costs may be lost. All work is safe in jj.`,
      remedy:
        "Check the run's questions and budget before you resume it. It continues from the end of the journal.",
    };
  return null;
}
