/** A run as its events make it, with nothing behind it: no jj, no model, no files. */
import { rootOrchestrator } from "#shared/domain/change-metadata/address.ts";
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { stageOf } from "#shared/domain/run/stage-state.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { replayRun } from "#shared/run/reduce.ts";
import { emptyRun } from "#shared/run/state.ts";
import { defaultConfig } from "../../config/settings.ts";
import { runInput } from "../../journal/testing/run-input.ts";
import type { RunReader, Worker } from "../ports.ts";

/** @param changes what jj was last read to hold of it */
export function plainRun(events: readonly RunEvent[], changes: readonly Change[] = []): RunReader {
  const facts = replayRun(
    emptyRun,
    events.map((event) => ({ at: 0, event })),
  );
  const workers = new Map(
    Object.values(facts.workers).map((record): [string, Worker] => [
      record.name,
      {
        record,
        activity: "",
        state: "sleeping",
        recorder: { entry: () => undefined, flush: () => undefined },
        contextTokens: 0,
        lastActivityAt: 0,
        latestText: "",
        silentAt: null,
        sleep: { since: null, lasted: [] },
        isInterrupted: false,
        signal: null,
        open: null,
      },
    ]),
  );
  const stateOf: RunReader["stateOf"] = (name) => stageOf(facts.stages, name);
  return {
    id: "run",
    row: {
      id: "run",
      startedAt: 0,
      endedAt: null,
      stage: "idle",
      input: { ...runInput, goal: "" },
    },
    model: "m",
    config: defaultConfig,
    workspaces: { hasAgent: () => false },
    now: () => 0,
    monotonic: () => 0,
    newId: () => "id",
    facts,
    state: stateOf(rootOrchestrator),
    changes: new Map(changes.map((change) => [change.changeId, change])),
    workers,
    spending: { total: nothingSpent, byWorker: new Map(), history: [] },
    providerLimit: null,
    stateOf,
    orchestratorFacts: (name) => facts.orchestrators[name] ?? noOwnFacts,
    worker(name) {
      const worker = workers.get(name);
      if (worker) return worker;
      throw new Error(`No ${name} in this run.`);
    },
    isPausedOrOver: () => stateOf(rootOrchestrator).pause !== "none",
  };
}
