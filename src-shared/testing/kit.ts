/** The test kit for plain data: whole values, of which a test names what it is about. */
import type { WorkerView } from "../contract/views/run.ts";
import type { Plan, PlannedTask } from "../domain/plan/plan.ts";
import { nothingSpent } from "../domain/spending/usage.ts";
import type { Change } from "../graph/change.ts";

/** A task of the first phase, without files. */
export const aTask = (id: string, over: Partial<PlannedTask> = {}): PlannedTask => ({
  id,
  title: id,
  description: "",
  phase: 1,
  priority: "medium",
  files: [],
  after: [],
  ...over,
});

/** A plan of one orchestrator with one phase. */
export const aPlan = (over: Partial<Plan> = {}): Plan => ({
  goal: "g",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: [] },
  phases: phases("one"),
  tasks: [],
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
  ...over,
});

/** Phases with these titles, numbered from 1. */
export const phases = (...titles: readonly string[]): Plan["phases"] =>
  titles.map((title, at) => ({ number: at + 1, title }));

/** A change on nothing, whose commit is named after it. */
export const aChange = (changeId: string, over: Partial<Change> = {}): Change => ({
  commitId: `commit-${changeId}`,
  changeId,
  parents: [],
  description: "",
  author: { name: "A", email: "a@example.org" },
  timestamp: 0,
  metadata: {},
  immutable: false,
  divergent: false,
  conflict: false,
  ...over,
});

/** An agent at work on its task, as the window is told of it. */
export const aWorker = (name: string, over: Partial<WorkerView> = {}): WorkerView => ({
  ...{ name, role: "agent", parent: "O-A-1", task: null, changeId: `k${name}`, title: name },
  ...{ workspace: null, diskBytes: null, phase: 1, priority: null, status: "in_progress", activity: "" },
  ...{ latestText: "", state: "thinking", iteration: 1, held: false, byHand: null, replaces: null },
  ...{
    replacedBy: null,
    inherits: null,
    model: "claude-sonnet-5-5",
    agent: null,
    conflict: "none",
    conflictCause: null,
  },
  conflictsWith: [],
  budget: {
    ...{ limitTokens: null, limitMicroDollars: null, maxIterations: 20, spent: nothingSpent, state: "ok" },
  },
  ...{
    checks: [],
    mergeRequest: null,
    quiet: null,
    contextTokens: 0,
    contextWindow: 200_000,
  },
  ...{ spent: nothingSpent, unmetered: null, toolCalls: 0, fork: null, todos: [], learned: [], place: null },
  ...over,
});
