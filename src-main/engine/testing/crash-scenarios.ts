/** Runs whose host is killed again and again, and what each comes to however often that happens. */
import type { Script } from "../../model/stand-in/script.ts";
import type { Engine } from "../engine-interface.ts";
import { branchingAgents, twiceTheView } from "./branching-script.ts";
import { phaseFiles, phaseScript, repairsPhase } from "./phase-script.ts";
import { type Answers, agreeable } from "./run-fixture.ts";
import { exampleFiles, threeAgents } from "./three-agents-script.ts";
import { judgedFiles, judgedScript, seat } from "./verdict-script.ts";

export interface CrashScenario {
  readonly script: Script;
  readonly files: Readonly<Record<string, string>>;
  /** What a person says to each card. */
  readonly answers: Answers;
  /** What a person does beside cards, as soon as it can be done. Called again and again, also in later lives. */
  readonly gesture?: (engine: Engine) => Promise<void>;
  /** On `main` at the end. */
  readonly expectedFiles: Readonly<Record<string, string>>;
  /** How many changes of each kind there are. */
  readonly expectedChanges: Readonly<Record<string, number>>;
  /** In the record of the run. */
  readonly expectedMessages: number;
  /** Each vote once: so many of each attempt. */
  readonly expectedVotes: readonly number[];
  /** How often each kind of event stands in the journal. */
  readonly expectedEvents: Readonly<Record<string, number>>;
  /** How many conversations may ask at once in the name of one role: a fork asks in its origin's. */
  readonly askersOfRole: number;
}

export const crashScenarios = {
  "three-agents": {
    script: threeAgents,
    files: exampleFiles,
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
  },
  "forks-and-archangels": {
    script: branchingAgents,
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[[archangel]]\nname = "watch"\npurpose = "Looks at what is kept."\nwakes = ["iteration_saved", "work_offered"]\n`,
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
    expectedEvents: { ForkBegun: 1, ForkEnded: 1, AttemptAdded: 1, AttemptChosen: 1 },
    askersOfRole: 1,
  },
  /** Rejected, repaired, rejected, put before a person, repaired with their word, approved. */
  "repaired-verdict": {
    script: judgedScript({ "validator-1": seat((attempt) => (attempt < 3 ? "reject" : "approve")) }),
    files: judgedFiles(["validator_count = 1", "repair_rounds = 1"], "[ceremony]", 'learning = "never"'),
    answers: { ...agreeable, votes: () => ({ kind: "repair", words: "Keep the address too." }) },
    expectedFiles: { "src/store.txt": "keeps users and mail" },
    expectedChanges: { task: 1, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [1, 1, 1],
    expectedEvents: { VerdictFailed: 2, RepairWorded: 1, ResultRepaired: 2, ResultValidated: 1 },
    askersOfRole: 1,
  },
  /** Rejected, and a person lands it all the same. */
  "overruled-verdict": {
    script: judgedScript({ "validator-1": seat(() => "reject") }),
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], "[ceremony]", 'learning = "never"'),
    answers: { ...agreeable, votes: () => ({ kind: "land", reason: "It is needed today." }) },
    expectedFiles: { "src/store.txt": "keeps users" },
    expectedChanges: { task: 1, integration: 1 },
    expectedMessages: 0,
    expectedVotes: [1],
    expectedEvents: { VerdictFailed: 1, ResultValidated: 1 },
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
} satisfies Readonly<Record<string, CrashScenario>>;

export type CrashScenarioName = keyof typeof crashScenarios;

export const isCrashScenario = (name: string): name is CrashScenarioName =>
  Object.hasOwn(crashScenarios, name);
