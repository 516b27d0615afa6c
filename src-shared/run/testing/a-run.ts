/** A run as windows are sent it, as small as a test needs it. */
import { idleRun } from "../../domain/run/stage-state.ts";
import { nothingSpent } from "../../domain/spending/usage.ts";
import { newWorker } from "../../domain/worker/worker-record.ts";
import type { RunLive, RunSnapshot, WorkerLive } from "../live.ts";
import { newRun } from "../state.ts";

const aWorkerLive: WorkerLive = {
  state: "sleeping",
  activity: "",
  latestText: "",
  diskBytes: null,
  contextTokens: 0,
  contextWindow: 200_000,
  model: "claude-haiku-5-5",
  agent: null,
  limits: { tokens: null, microDollars: null },
  maxIterations: 10,
  unmeteredLimits: null,
  place: null,
};

/** @param workers agents by name, with what each does right now */
export function aRun(
  id: string,
  {
    startedAt = 1,
    endedAt = null,
    workers = {},
    ...live
  }: Partial<Omit<RunLive, "workers">> & {
    readonly workers?: Readonly<Record<string, Partial<WorkerLive>>>;
  } = {},
): RunSnapshot {
  const root = `O-A-${startedAt}`;
  const names = Object.keys(workers);
  const state = newRun(id, startedAt, root);
  return {
    id,
    count: 0,
    state: {
      ...state,
      stages: endedAt === null ? {} : { [root]: { ...idleRun, current: { stage: "complete" } } },
      workers: Object.fromEntries(
        names.map((name) => [
          name,
          newWorker({ name, role: "agent", parent: root, title: name, task: null }),
        ]),
      ),
    },
    live: {
      goal: "a goal",
      root,
      startedAt,
      endedAt,
      rehearsal: null,
      isQuick: false,
      isWatch: false,
      model: aWorkerLive.model,
      agentModel: aWorkerLive.model,
      maxParallelAgents: 4,
      maxIterations: 10,
      providerLimit: null,
      spending: { total: nothingSpent, byWorker: {} },
      trust: null,
      radar: [],
      radarCrowds: [],
      sessions: [],
      archangels: [],
      watchBudget: null,
      workers: Object.fromEntries(names.map((name) => [name, { ...aWorkerLive, ...workers[name] }])),
      metrics: {},
      messages: {},
      cards: {},
      ...live,
    },
    spendingHistory: [],
  };
}
