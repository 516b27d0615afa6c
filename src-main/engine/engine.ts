import { realpathSync } from "node:fs";
import { join } from "node:path";
import { singleFlight } from "#shared/async/single-flight.ts";
import type { RunStart } from "#shared/contract/inputs.ts";
import { startOf } from "#shared/domain/cut-text.ts";
import { leftAlone } from "#shared/domain/left-alone.ts";
import { lfsWords } from "#shared/domain/lfs-words.ts";
import { phaseEnd, waitsToAdvance } from "#shared/domain/run-actions.ts";
import { isOver } from "#shared/domain/run-state.ts";
import { noUsage } from "#shared/domain/usage.ts";
import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/config-interface.ts";
import { defaultConfig, withDefaults } from "../config/config-schema.ts";
import { outlastLeftBehind } from "../jj/left-behind.ts";
import { excludeUnignored } from "../jj/unignored-folders.ts";
import { openJournal, type RecordedRunRow } from "../journal/journal.ts";
import { priceOf } from "../model/price.ts";
import { unpricedModels } from "../model/unpriced-models.ts";
import { endOrphanedSandboxes } from "../tools/sandbox/orphaned-sandboxes.ts";
import { hooksAfterRun, owesHooks } from "./agents/hooks.ts";
import { withdrawBudgetCards } from "./agents/worker-limits.ts";
import { EngineRefusal, explain, StaleAnswer } from "./engine-errors.ts";
import type { Engine, EngineEvent, EngineOptions, EngineState } from "./engine-interface.ts";
import { followConfig } from "./follow-config.ts";
import { createDivergenceMender } from "./graph-sync/mend-divergence.ts";
import { journalNotice } from "./journal-notice.ts";
import { type CardChecks, checkedBy } from "./kernel/cards.ts";
import { followGit } from "./landing/follow-git.ts";
import { checkGround, chooseGround, standOf } from "./landing/ground.ts";
import { checkLanding } from "./landing/landing.ts";
import { leftoversOf, overRuns, removeLeftovers } from "./landing/leftovers.ts";
import { tidyGraph } from "./landing/tidy-graph.ts";
import { lastLanding, previewUndoLanding, undoLanding } from "./landing/undo-landing.ts";
import type { ModelEvent } from "./model/run-events.ts";
import { followMove } from "./moved-repository/follow-move.ts";
import { settleRepositoryGone } from "./moved-repository/repository-gone.ts";
import { orchestratorsOf } from "./orchestrators/chain-of-command.ts";
import { allMessages, announce } from "./orchestrators/messages.ts";
import { createPlanEditing, finishAmendments } from "./planning/plan-editing.ts";
import { checkPlanAnswer } from "./planning/plan-rules.ts";
import { configuredLimits, startLimits } from "./planning/start-limits.ts";
import type { Run } from "./ports.ts";
import { createRuntime, type Runtime } from "./run/carry-out.ts";
import { recordFoundWork } from "./run/found-work.ts";
import { createIntents } from "./run/intents.ts";
import { metricsToKeep } from "./run/learning.ts";
import { leaveOpen } from "./run/leave-open.ts";
import { createRun } from "./run/run.ts";
import { watchOthers } from "./run/watch-others.ts";
import { sayStatus } from "./steering/statuses-said.ts";
import { createSteering } from "./steering/steer-workers.ts";
import { coalesce, summaryOf, viewOf } from "./view.ts";
import { removeWorkspaces } from "./workspaces/clean-up.ts";
import { tellHands } from "./workspaces/tell-hands.ts";
import { saveAll, workspaceOf } from "./workspaces/workspaces.ts";

/** What is asked of capabilities before an answer to a card counts. */
const cardChecks: CardChecks = { plan: checkPlanAnswer, land: checkLanding };

/** Opens a repository's engine, and goes on with the run that was going on when it was closed. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const journal = (options.openJournal ?? openJournal)(
    join(options.stateFolder, "journal.sqlite"),
    options.now,
  );
  const listeners = new Set<(event: EngineEvent) => void>();
  /** Notices from before anybody listens: what is found while a repository is opened. */
  let early: EngineEvent[] = [];
  const emit = (event: EngineEvent) => {
    if (listeners.size === 0 && event.kind === "notice") early.push(event);
    for (const listener of listeners) listener(event);
  };
  const divergence = createDivergenceMender(options.repository, emit);
  let run: Run | null = null;
  let runtime: Runtime | null = null;
  let closed = false;
  let starting = false;
  /** Aborts when the app closes: what only follows a run does not keep it open. */
  const leaving = new AbortController();
  const showing = coalesce(() => {
    if (run && !closed) emit({ kind: "run", run: viewOf(run) });
  });

  const fail = (error: unknown) => {
    const { message, remedy } = explain(error);
    emit({ kind: "notice", level: "error", text: message, remedy });
    // What cannot be journalled did not happen: nothing may go on beyond it.
    run?.ending.abort(error);
  };

  const forgetFolder = (id: string, worker: string): void => {
    const removed: ModelEvent = { kind: "WorkspaceRemoved", worker };
    if (run?.id === id) run.append(removed);
    else journal.addModelEvent(id, removed);
  };

  /** A run is over: nobody asks anything any more, and what was written is saved. */
  const finishing = new WeakMap<Run, Promise<void>>();
  const finish = (over: Run): Promise<void> => {
    const known = finishing.get(over) ?? windDown(over);
    finishing.set(over, known);
    return known;
  };
  const windDown = async (over: Run): Promise<void> => {
    over.ending.abort();
    emit({ kind: "inbox", items: [] });
    showing.flush();
    // One that fails keeps none of those behind it from being done.
    for (const last of [
      async () => runtime?.quiet(),
      () => saveAll(over),
      () => leaveOpen(over),
      () => tidyGraph(over),
      () => hooksAfterRun(over, leaving.signal),
      async () => over.flush(),
      async () => over.append({ kind: "MetricsMeasured", metrics: metricsToKeep(over) }),
      () => cleanUpAfter(over),
    ])
      await last().catch((error: unknown) => {
        const { message, remedy } = explain(error);
        emit({ kind: "notice", level: "error", text: message, remedy });
      });
    showing.ask();
  };

  const cleanUpAfter = async (over: Run): Promise<void> => {
    if (over.config.workspace.cleanUp === "over")
      await removeWorkspaces(options.repository, journal, [over.id], forgetFolder, options.stateFolder);
    else for (const worker of over.workers.keys()) over.disk.look(worker);
  };

  const open = (row: RecordedRunRow, config: Config): Run => {
    const opened = createRun({ row, config, journal, options, divergence, emit, changed: showing.ask });
    run = opened;
    runtime = createRuntime(opened, () => void finish(opened), fail);
    if (!options.still) opened.pump = runtime.pump;
    return opened;
  };

  const active = (): Run => {
    if (!run || isOver(run.state)) throw new EngineRefusal("No run is going on.", "Start one with a goal.");
    return run;
  };

  const mendAll = singleFlight(async () => {
    if (closed || options.still) return;
    try {
      await divergence.mend();
    } catch (error) {
      // The commits all stay, and the next look tries again.
      const { message, remedy } = explain(error);
      if (!closed) emit({ kind: "notice", level: "warning", text: message, remedy });
    }
  });

  const stopWatching = watchOthers(
    options.repository,
    async () => {
      if (closed) return;
      // Beside the run, which mends what is its own: people may write faster than theirs can be mended.
      void mendAll();
      if (!run || isOver(run.state)) return;
      await run.refreshChanges();
      announce(run);
    },
    emit,
  );

  const stopFollowingGit = options.still
    ? async () => undefined
    : followGit(
        options.repository,
        () => run !== null && !isOver(run.state),
        async () => {
          if (!run || isOver(run.state)) return;
          await run.refreshChanges();
          announce(run);
        },
        emit,
      );

  const intents = createIntents({
    repository: options.repository,
    newId: options.newId,
    async amongAgents(write) {
      const current = run;
      if (!current || isOver(current.state)) return write();
      return current.barrier.alone(async () => {
        await saveAll(current);
        const result = await write();
        for (const worker of current.workers.keys())
          await workspaceOf(current, worker)?.updateStale({ actor: worker });
        tellHands(current, () => true, "The graph was changed.");
        return result;
      });
    },
    sayStatus: (changeId, status) =>
      run !== null && !isOver(run.state) && !options.still && sayStatus(run, changeId, status),
    async changed() {
      if (run && !isOver(run.state)) {
        await run.refreshChanges();
        run.slots.look();
        announce(run);
      }
    },
  });

  const setOut = (idle: Run): void => {
    const { validation, loopDefaults } = idle.config;
    idle.dispatch({
      kind: "StartOrchestration",
      version: 2,
      limits: { repairRounds: validation.repairRounds, autoAdvance: loopDefaults.autoAdvance },
    });
  };

  const begin = async (input: RunStart): Promise<{ run: string }> => {
    if (run && !isOver(run.state))
      throw new EngineRefusal(
        `The run "${startOf(run.row.input.goal, 80)}" is going on.`,
        "Stop it, or wait until it is complete.",
      );
    const { config, problems, path } = await loadConfig(options.repository.root, unpricedModels);
    const broken = problems.find((problem) => problem.level === "error");
    if (broken)
      throw new EngineRefusal(`.hox/config.toml, line ${broken.line}: ${broken.message}`, broken.remedy);
    const settings = options.settings();
    const model = input.model ?? (path === null ? settings.model : config.models.default);
    priceOf(noUsage, model);
    // Whatever is missing is said before anything is made.
    await options.driverFor({ rehearsal: input.rehearsal, apiKeyEnv: config.models.apiKeyEnv });
    await options.repository.importGit();
    const ground = await chooseGround(options.repository, input.onto);
    if (input.rehearsal === null) {
      await checkGround(options.repository, ground);
      for (const text of await excludeUnignored(options.repository.root))
        emit({ kind: "notice", level: "info", text, remedy: null });
      if (await options.repository.signsCommits())
        emit({
          kind: "notice",
          level: "info",
          text: "Git signs your commits here (commit.gpgSign). What lands is not signed: agents must not meet a question for a passphrase.",
          remedy: `After landing, sign it yourself: \`git rebase --rebase-merges --force-rebase --gpg-sign ${ground.change.commitId.slice(0, 12)}\`.`,
        });
      const lfs = lfsWords(await options.repository.lfsFiles(ground.change.commitId));
      if (lfs !== null) emit({ kind: "notice", level: "warning", ...lfs });
    }
    const id = options.newId();
    const limits = startLimits(input, configuredLimits(config, settings));
    journal.together(() => {
      journal.addRun(id, {
        goal: input.goal,
        orchestrators: input.orchestrators,
        maxTokens: limits.tokens,
        maxMicroDollars: limits.microDollars,
        onto: input.onto,
        rehearsal: input.rehearsal,
        model,
      });
      journal.setFact(id, "config", config);
      const { changeId, commitId } = ground.change;
      const prepared: readonly ModelEvent[] = [
        { kind: "RunLimitsSet", limits },
        { kind: "GroundChosen", onto: { changeId, commitId }, branch: ground.branch },
      ];
      for (const event of prepared) journal.addModelEvent(id, event);
    });
    const row = journal.runs().find((one) => one.id === id);
    if (!row) throw new Error("The journal lost a run that it had just taken.");
    const started = open(row, config);
    emit({ kind: "inbox", items: [] });
    setOut(started);
    showing.flush();
    return { run: id };
  };

  const saveAtEnd = async (open: Run): Promise<void> => {
    open.ending.abort();
    open.disk.close();
    await open.radar.stop();
    await runtime?.quiet();
    try {
      if (isOver(open.state)) await finishing.get(open);
      else await saveAll(open);
    } finally {
      open.flush();
      open.append({ kind: "MetricsMeasured", metrics: metricsToKeep(open) });
    }
  };

  const engine: Engine = {
    state(): EngineState {
      return {
        run: run ? viewOf(run) : null,
        runs: journal.runs().map((row) => summaryOf(journal, row)),
        inbox: run && !isOver(run.state) ? run.inbox.items() : [],
        messages: run ? allMessages(run) : [],
      };
    },
    listen(listener) {
      listeners.add(listener);
      for (const event of early) listener(event);
      early = [];
      return () => listeners.delete(listener);
    },

    limitsToStartWith: () => configuredLimits(configuration.config, options.settings()),
    async startRun(input: RunStart) {
      if (starting)
        throw new EngineRefusal(
          "A run is being started.",
          "Wait until it shows; there is one run at a time.",
        );
      starting = true;
      try {
        return await begin(input);
      } finally {
        starting = false;
      }
    },
    async pause() {
      const current = active();
      current.dispatch({ kind: "Pause" });
      if (current.state.pauseFollows)
        emit({
          kind: "notice",
          level: "info",
          text: "The run waits for its budget, and stays paused when that is extended.",
          remedy: "Resume takes the pause back.",
        });
      showing.flush();
    },
    async resume() {
      const current = active();
      if (current.state.pauseFollows) current.dispatch({ kind: "Resume" });
      if (current.state.hold === "budget")
        throw new EngineRefusal("The budget is spent.", "Extend it in the inbox, then the run goes on.");
      current.known?.scheduler?.resume();
      for (const name of orchestratorsOf(current)) {
        const state = current.stateOf(name);
        const by = waitsToAdvance(state) ? phaseEnd(state) : null;
        if (by !== null) current.dispatch(by, name);
      }
      current.dispatch({ kind: "Resume" });
      showing.flush();
    },
    async stop() {
      const current = active();
      current.dispatch({ kind: "Stop", by: "person" });
      await finish(current);
    },
    async extendBudget(limits) {
      const current = active();
      const stop = `${current.id}/budget/${current.state.budgetStops}`;
      const card = current.inbox.items().find((item) => item.id === stop);
      if (card) await engine.answer({ ...card, decision: { kind: "extend", ...limits } });
      else current.append({ kind: "RunLimitsSet", limits });
    },
    async setLimits({ maxParallelAgents, maxIterations, ...amounts }) {
      const current = active();
      if (maxParallelAgents !== undefined) current.append({ kind: "AgentsAtOnceSet", maxParallelAgents });
      if (maxIterations !== undefined) current.append({ kind: "IterationsSet", maxIterations });
      current.slots.look();
      if (amounts.tokens === undefined && amounts.microDollars === undefined) return;
      const { limits } = current.facts;
      await engine.extendBudget({
        tokens: amounts.tokens === undefined ? limits.tokens : amounts.tokens,
        microDollars: amounts.microDollars === undefined ? limits.microDollars : amounts.microDollars,
      });
    },
    async answer({ id, nonce, shown, decision }) {
      const current = run;
      if (!current || isOver(current.state)) throw new StaleAnswer("The run that asked this is over.");
      await current.inbox.answer({ id, nonce, shown, decision }, checkedBy(cardChecks, current));
    },
    ground: () => standOf(options.repository),
    async previewUndoLanding() {
      return previewUndoLanding(options.repository, lastLanding(journal, run)?.landed ?? null);
    },
    async undoLanding() {
      if (run) await finishing.get(run);
      const last = lastLanding(journal, run);
      await undoLanding(options.repository, last?.landed ?? null);
      if (!last) return;
      const undone: ModelEvent = { kind: "LandingUndone", at: options.now() };
      if (run?.id === last.id) run.append(undone);
      else journal.addModelEvent(last.id, undone);
      showing.flush();
    },
    async leftovers() {
      if (run) await finishing.get(run);
      return leftoversOf(options.repository, journal);
    },
    async cleanUp() {
      if (run) await finishing.get(run);
      const workspaces = await removeWorkspaces(
        options.repository,
        journal,
        overRuns(journal),
        forgetFolder,
        options.stateFolder,
      );
      return { ...workspaces, ...(await removeLeftovers(options.repository, journal)) };
    },
    async conversation(id, worker) {
      if (run?.id === id) run.flush(worker);
      return journal.rows(id, worker);
    },
    ...intents,
    ...createSteering({ active, opened: () => run }),
    ...createPlanEditing({ active, extendBudget: (limits) => engine.extendBudget(limits) }),

    async close() {
      if (closed) return;
      leaving.abort();
      stopWatching();
      const hasFollowed = stopFollowingGit();
      configuration.close();
      try {
        // At once: nothing more may begin.
        if (run) await saveAtEnd(run);
        await hasFollowed;
      } finally {
        // Also where the disk or the repository is gone: what keeps running here would stand in the way of the next.
        closed = true;
        showing.stop();
        journal.close();
      }
    },
  };

  const damage = journalNotice(journal);
  if (damage !== null) setImmediate(() => emit(damage));
  await followMove(options.repository, options.stateFolder, emit);
  const last = journal.runs()[0];
  const kept = last ? journal.fact<Partial<Config>>(last.id, "config") : undefined;
  const lastGood = kept && withDefaults(kept);
  const configuration = await followConfig(
    options.repository.root,
    lastGood ?? defaultConfig,
    emit,
    (config) => {
      options.inForce?.(config);
      run?.applyConfig(config);
      if (run && !isOver(run.state)) withdrawBudgetCards(run);
    },
  );
  options.inForce?.(configuration.config);
  if (!options.still) {
    const known = new Set(journal.runs().map(({ id }) => id));
    await recordFoundWork(options.repository, options.stateFolder, known, emit);
  }
  if (!last) await mendAll();
  else {
    const resumed = open(last, configuration.config);
    if (configuration.config !== lastGood) {
      resumed.applyConfig(configuration.config);
      withdrawBudgetCards(resumed);
    }
    // What a killed host had begun is on the graph before anybody looks whether it is.
    if (!isOver(resumed.state))
      await outlastLeftBehind([options.repository.root, join(options.stateFolder, "workspaces")]);
    if (!options.still) await endOrphanedSandboxes(realpathSync(options.stateFolder));
    await mendAll();
    if (!options.still) settleRepositoryGone(resumed);
    await resumed.refreshChanges().catch(fail);
    // The process ended between taking the run down and its first event.
    if (resumed.state.course.stage === "idle" && !options.still) setOut(resumed);
    if (!isOver(resumed.state) && !options.still) await finishAmendments(resumed);
    if (!isOver(resumed.state) && !options.still) {
      const told = leftAlone(
        {
          goal: last.input.goal,
          goesOn: resumed.state.hold === "none",
          spent: resumed.spending.total.microDollars,
          limit: resumed.facts.limits.microDollars,
          waiting: resumed.inbox.items().length,
          inHands: [...resumed.workers.values()]
            .filter(({ record }) => record.byHand)
            .map(({ record }) => record.name),
        },
        options.now() - Math.max(last.startedAt, resumed.spending.history.at(-1)?.[0] ?? 0),
      );
      if (told) emit({ kind: "notice", level: "info", ...told });
    }
    if (!isOver(resumed.state)) resumed.pump();
    else if (!options.still && owesHooks(resumed)) void finish(resumed);
    else if (!options.still) for (const worker of resumed.workers.keys()) resumed.disk.look(worker);
  }
  return engine;
}
