/** Runs whose host is killed again and again, and what each comes to however often that happens. */
import type { StartRole } from "#shared/contract/commands/start.ts";
import type { ForgeWorld } from "../../forge/testing/forge-world.ts";
import type { Script } from "../../model/stand-in/script.ts";
import type { Engine } from "../engine-interface.ts";
import { branchingAgents, twiceTheView } from "./branching-script.ts";
import { bothLines, collidingAgents, letsSecondWait } from "./colliding-script.ts";
import { externalAgentScript, reportsStore } from "./external-agent-script.ts";
import { installedAgentFiles, installedModels } from "./installed-agent.ts";
import { lostCalls } from "./lost-calls-script.ts";
import {
  judgedPhaseFiles,
  judgedPhaseScript,
  phaseFiles,
  phaseScript,
  repairsPhase,
  repairsPhaseAsRequested,
} from "./phase-script.ts";
import { publishedPeople, publishedScript, withoutPanel } from "./published-script.ts";
import { type Answers, agreeable } from "./run-fixture.ts";
import { sideBySide, sideBySideFiles, sideBySideGoals } from "./side-by-side-script.ts";
import { exampleFiles, patientFiles, threeAgents } from "./three-agents-script.ts";
import { forgetfulIntegrator, judgedFiles, judgedScript, seat } from "./verdict-script.ts";

export interface CrashScenario {
  /** Who works for each role. Default: Hox's own agent. */
  readonly models?: Readonly<Partial<Record<StartRole, string>>>;
  /** What is asked for, a run each, begun beside one another. Default: one. */
  readonly goals?: readonly string[];
  readonly script: Script;
  readonly files: Readonly<Record<string, string>>;
  /** What a user says to each card. */
  readonly answers: Answers;
  /** What a user does beside cards, as soon as it can be done. Called again and again, also in later lives. */
  readonly gesture?: (engine: Engine) => Promise<void>;
  /** How many runs its points are dealt out to. Default: 12. */
  readonly parts?: number;
  /** Agents work on two workers, which outlive the host, or are killed in its place. Default: on the host. */
  readonly workers?: "outlive the host" | "are killed";
  /** The scripted agent is installed as that of another make that Hox knows. */
  readonly installsAgent?: true;
  /** The repository has a remote on a forge. */
  readonly forge?: {
    /** What people do there. Called again and again. */
    readonly people: (world: ForgeWorld) => void;
    /** What is there twice, or left, once the run is complete. */
    readonly problems: (world: ForgeWorld) => readonly string[];
  };
  /** How each run ends. Default: complete. */
  readonly expectedStage?: "failed";
  /** On `main` at the end; null: not there. */
  readonly expectedFiles: Readonly<Record<string, string | null>>;
  /** A line of a description on `main`. */
  readonly expectedTrailer?: string;
  /** How many changes of each kind there are. */
  readonly expectedChanges: Readonly<Record<string, number>>;
  /** In the record of the run. */
  readonly expectedMessages: number;
  /** Each seat of each run once: so many in each attempt. */
  readonly expectedVotes: readonly number[];
  /** How often seats are given to another judge in each attempt. Default: never. */
  readonly expectedReplacements?: readonly number[];
  /** How often each kind of event stands in the journal. */
  readonly expectedEvents: Readonly<Record<string, number>>;
  /** How many conversations may ask at once in the name of one role: a fork asks in its origin's. */
  readonly askersOfRole: number;
}

const never = 'learning = "off"';

/** It does the same however often it is told to continue. */
const storeAgain = Array.from({ length: 40 }, () => [
  { write: "src/store.txt", text: "the store\n" },
  { call: { title: "Think", kind: "think" } },
  reportsStore,
]);

const externalAgentRun = {
  script: externalAgentScript,
  // Its program is in the run's folder, so that it is found where it outlives its host.
  installsAgent: true,
  models: installedModels,
  files: installedAgentFiles(storeAgain, { keepsSessions: true }),
  answers: agreeable,
  expectedFiles: { "src/store.txt": "the store" },
  expectedChanges: { task: 1 },
  expectedMessages: 0,
  expectedVotes: [1],
  expectedEvents: { ResultValidated: 1 },
  askersOfRole: 1,
} satisfies CrashScenario;

const threeAgentsRun = {
  script: threeAgents,
  // Each death takes an iteration, and an agent waits for the others.
  files: patientFiles,
  answers: agreeable,
  expectedFiles: {
    "src/contract.txt": "id: user_id # kept by the store\nname: text",
    "src/index.txt": "the store\nthe view",
    "src/api.txt": "GET /users/:user_id",
    "src/view.txt": "shows users",
    "src/store.txt": "keeps users",
  },
  expectedChanges: { base: 1, task: 3, mutation: 1, integration: 1 },
  // Two that were written, and the decision.
  expectedMessages: 3,
  expectedVotes: [4],
  expectedEvents: { DecisionApplied: 1 },
  askersOfRole: 1,
} satisfies CrashScenario;

export const crashScenarios = {
  "three-agents": threeAgentsRun,
  /** The host is killed, and finds the files of its agents where they were. */
  workers: { ...threeAgentsRun, workers: "outlive the host" },
  /** Workers are killed at each of their messages: agents hear what is lost and continue elsewhere. */
  "killed-workers": {
    workers: "are killed",
    // An agent that lost two places works on the host.
    parts: 36,
    goals: sideBySideGoals,
    script: lostCalls,
    files: sideBySideFiles,
    answers: agreeable,
    expectedFiles: {
      "src/store.txt": "the store",
      "src/store-twice.txt": "the store\nthe store",
      "src/view.txt": "the view",
      "src/view-twice.txt": "the view\nthe view",
    },
    expectedChanges: { task: 2, integration: 2 },
    expectedMessages: 0,
    expectedVotes: [1],
    expectedEvents: { ResultValidated: 2 },
    askersOfRole: 2,
  },
  "forks-and-archangels": {
    script: branchingAgents,
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[[archangel]]\nname = "watch"\npurpose = "Looks at what is kept."\nwakes = ["iteration_saved", "merge_requested"]\n`,
    },
    answers: {
      ...agreeable,
      plan: (item) =>
        item.kind === "plan" ? { kind: "approve", plan: twiceTheView(item.plan) } : { kind: "approve" },
      attempts: () => ({ kind: "choose", worker: "agent-4" }),
    },
    expectedFiles: {
      "src/contract.txt": "id: userId\nname: text",
      "src/index.txt": "the store\nthe view",
      "src/api.txt": "GET /users/:userId",
      "src/view.txt": "shows users",
      "src/store.txt": "keeps users",
    },
    // The attempt that was not chosen is gone.
    expectedChanges: { base: 1, task: 3, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [4],
    expectedEvents: { ForkStarted: 1, ForkEnded: 1, AttemptAdded: 1, AttemptChosen: 1 },
    askersOfRole: 1,
  },
  /** Two agents write the same line, and one waits for the other. */
  "forecast-conflict": {
    script: collidingAgents("sleep 12", [letsSecondWait]),
    files: exampleFiles,
    answers: agreeable,
    expectedFiles: { "src/one.txt": bothLines.trim() },
    expectedChanges: { base: 1, task: 2, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [4],
    expectedEvents: { CollisionsAsked: 1, CollisionsOrdered: 1, CollisionWaitEnded: 1 },
    askersOfRole: 1,
  },
  /** An agent of another make, whose runner lives on while its host is gone. */
  "external-agent": externalAgentRun,
  /** The same on workers. */
  "agent-on-workers": { ...externalAgentRun, workers: "outlive the host" },
  /** An agent that lost two places works on the host. */
  "agent-on-killed-workers": { ...externalAgentRun, workers: "are killed", parts: 36 },
  /** Rejected, repaired, rejected, put before a user, repaired with their word, approved. */
  "repaired-verdict": {
    script: judgedScript({ "validator-1": seat((attempt) => (attempt < 3 ? "reject" : "approve")) }),
    files: judgedFiles(["validator_count = 1", "repair_rounds = 1"], "[workflow]", never),
    answers: { ...agreeable, votes: () => ({ kind: "repair", words: "Keep the address too." }) },
    expectedFiles: { "src/store.txt": "keeps users and mail" },
    expectedChanges: { task: 1, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [1, 1, 1],
    expectedEvents: { VerdictFailed: 2, RepairWorded: 1, ResultRepaired: 2, ResultValidated: 1 },
    askersOfRole: 1,
  },
  /** Rejected, and a user lands it all the same. */
  "overruled-verdict": {
    script: judgedScript({ "validator-1": seat(() => "reject") }),
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], "[workflow]", never),
    answers: { ...agreeable, votes: () => ({ kind: "land", reason: "It is needed today." }) },
    expectedFiles: { "src/store.txt": "keeps users" },
    expectedChanges: { task: 1, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [1],
    expectedTrailer: "Hox-Overruled: It is needed today.",
    expectedEvents: { VerdictFailed: 1, ResultValidated: 1 },
    askersOfRole: 1,
  },
  /** Tied, repaired with a user's word, vetoed by a check on what came of it, repaired with another one, approved. */
  "tied-verdict": {
    script: judgedScript(
      {
        "validator-1": seat(() => "approve"),
        "validator-2": seat((attempt) => (attempt === 1 ? "abstain" : "approve")),
      },
      forgetfulIntegrator,
    ),
    files: judgedFiles(["validator_count = 2", "repair_rounds = 0"], "[workflow]", 'panel = "on"', never),
    answers: {
      ...agreeable,
      votes: (item) => ({
        kind: "repair",
        words: item.kind === "votes" && item.validation.attempt === 1 ? "Index it." : "Keep the cache.",
      }),
    },
    expectedFiles: {
      "src/store.txt": "keeps users",
      "src/index.txt": "the store",
      "src/cache.txt": "kept",
    },
    expectedChanges: { task: 1, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [2, 0, 2],
    expectedReplacements: [2],
    expectedEvents: { VerdictFailed: 2, RepairWorded: 2, ResultRepaired: 2, ResultValidated: 1 },
    askersOfRole: 1,
  },
  /** Whoever holds the seat takes too long, three times; a user stops, and nothing lands. */
  "stopped-verdict": {
    script: judgedScript({ "validator-1": seat(() => null) }),
    files: judgedFiles(["validator_count = 1", "seat_timeout_seconds = 1"], "[workflow]", never),
    answers: { ...agreeable, votes: () => ({ kind: "stop" }) },
    expectedStage: "failed",
    expectedFiles: { "src/store.txt": null },
    expectedChanges: { task: 1, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [1],
    expectedReplacements: [2],
    expectedEvents: { VerdictFailed: 1 },
    askersOfRole: 1,
  },
  /** A phase does not hold, is repaired by whoever was merged last, and the next one builds on it. */
  "repaired-phase": {
    script: phaseScript(repairsPhase),
    files: phaseFiles(),
    answers: agreeable,
    expectedFiles: {
      "src/store.txt": "the store",
      "src/api.txt": "the api",
      "src/view.txt": "the view",
      "src/together.txt": "both",
    },
    expectedChanges: { task: 3, integration: 1 },
    expectedMessages: 1,
    expectedVotes: [1],
    expectedEvents: { PhaseSentBack: 1, ResultValidated: 1 },
    askersOfRole: 1,
  },
  /** A check fails on a phase, a user has it repaired with a word, its seats reject it all the same, and a user goes on. */
  "overruled-phase": {
    script: judgedPhaseScript({ "validator-1-phase-1": seat(() => "reject") }, repairsPhaseAsRequested),
    files: judgedPhaseFiles("repair_rounds = 0"),
    answers: {
      ...agreeable,
      votes: (item) =>
        item.kind === "votes" && item.validation.verdict === "vetoed"
          ? { kind: "repair", words: "Join them." }
          : { kind: "land", reason: "Good enough for now." },
    },
    expectedFiles: {
      "src/store.txt": "the store",
      "src/api.txt": "the api",
      "src/view.txt": "the view",
      "src/together.txt": "both",
    },
    expectedChanges: { task: 3, integration: 1 },
    expectedMessages: 1,
    // The result's in the first attempt; the phase's in its second one, for a veto asks no seat.
    expectedVotes: [1, 1],
    expectedTrailer: "Hox-Overruled: Phase 1: Good enough for now.",
    expectedEvents: { PhaseSentBack: 1, PhaseAccepted: 1, ResultValidated: 1 },
    askersOfRole: 1,
  },
  /** Two goals at once, each with a root of its own: both go on after each death, and both land. */
  "side-by-side": {
    goals: sideBySideGoals,
    script: sideBySide,
    files: sideBySideFiles,
    answers: agreeable,
    expectedFiles: { "src/store.txt": "the store", "src/view.txt": "the view" },
    expectedChanges: { task: 2, integration: 2 },
    expectedMessages: 0,
    expectedVotes: [1],
    expectedEvents: { ResultValidated: 2 },
    askersOfRole: 2,
  },
  /** A stack of pull requests: a comment, a failed check, and merges from below. */
  published: {
    script: publishedScript,
    files: withoutPanel(),
    answers: { ...agreeable, land: () => ({ kind: "approve", form: "stack" }) },
    forge: publishedPeople,
    expectedFiles: {
      "src/store.txt": "the store, reviewed",
      "src/view.txt": "shows users, repaired",
      "src/api.txt": "GET /users/:userId",
    },
    expectedChanges: {},
    expectedMessages: 2,
    // The first result by one judge, those after a review by the panel.
    expectedVotes: [1, 4, 4],
    expectedEvents: { ThreadAnswered: 1, ResultLanded: 1, PullRequestOpened: 3 },
    askersOfRole: 1,
  },
} satisfies Readonly<Record<string, CrashScenario>>;

export const goalsOf = ({ goals = ["Keep users"] }: CrashScenario): readonly string[] => goals;

export type CrashScenarioName = keyof typeof crashScenarios;

export const isCrashScenario = (name: string): name is CrashScenarioName =>
  Object.hasOwn(crashScenarios, name);
