import { expect, test } from "vitest";
import { landCard } from "#shared/contract/cards/testing/land-card.ts";
import { cardName, type InboxItem, type InboxKind, kindOfCard } from "#shared/contract/cards.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { undecidedWorkflow } from "#shared/domain/workflow/workflow.ts";
import { answerLines, understand } from "./decide.ts";

const base = { id: "i", run: "r", at: 0, nonce: "n", shown: "s", from: "O-A-1" };
const plan = {
  goal: "g",
  summary: "s",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "", description: "", files: [] },
  phases: [],
  tasks: [],
  integration: { title: "", description: "" },
  budget: { tokens: null, microDollars: null },
};
const validation = {
  commitId: "c",
  attempt: 1,
  seats: [],
  quorum: 3,
  tolerated: 1,
  verdict: "undecided" as const,
  checks: [],
};

/** One of each kind; the type says that none is missing. */
const cards: Readonly<Record<InboxKind | "task-trouble", InboxItem>> = {
  plan: { ...base, kind: "plan", orchestrator: "O-A-1", plan, workflow: undecidedWorkflow, problems: [] },
  depth: { ...base, kind: "depth", level: "D", allowed: 3, tasks: [], reason: "" },
  amendment: { ...base, kind: "amendment", tasks: [], reason: "", problems: [] },
  "align-request": {
    ...base,
    kind: "align-request",
    question: "Which?",
    options: ["int", "text"],
    changeId: null,
  },
  mutation: { ...base, kind: "mutation", title: "", reason: "", diff: "", binds: [], conflicts: [] },
  budget: {
    ...base,
    kind: "budget",
    worker: null,
    spent: nothingSpent,
    limitTokens: null,
    limitMicroDollars: 1e6,
  },
  votes: {
    ...base,
    kind: "votes",
    validation,
    changeId: "x",
    rounds: [],
    repairRounds: 2,
    microDollars: 0,
  },
  "merge-request": {
    ...base,
    kind: "merge-request",
    title: "",
    changeId: "x",
    commitId: "y",
    round: 1,
    why: "user-reviews",
    summary: "",
    diff: "",
    beyond: [],
    checks: [],
    reviews: [],
  },
  attempts: {
    ...base,
    kind: "attempts",
    orchestrator: "O-A-1",
    task: "one",
    title: "",
    attempts: [1, 2].map((nth) => ({
      worker: `agent-${nth}`,
      nth,
      model: "m",
      summary: "",
      files: [],
      checks: [],
      iterations: 1,
      microDollars: 1,
      ms: 1,
      isStuck: false,
    })),
  },
  suggestion: {
    ...base,
    kind: "suggestion",
    agent: "tests",
    session: "agent-1",
    suggestion: "Test the empty name",
    context: "",
    priority: "medium",
    files: [],
    recipients: ["agent-1", "agent-2"],
    canBeTask: true,
  },
  pattern: {
    ...base,
    kind: "pattern",
    name: "",
    category: "",
    markdown: "",
    confidence: 1,
    gates: [],
    version: 1,
    changes: [],
  },
  land: {
    ...landCard,
    ...base,
    bookmarks: ["main", "release"],
  },
  protected: { ...base, kind: "protected", worker: "agent-1", paths: [], commitId: "y", diff: "" },
  dependency: {
    ...base,
    kind: "dependency",
    from: "agent-1",
    others: [],
    name: "left-pad",
    version: "1.3.0",
    dev: false,
    manager: "npm",
    folder: "",
    why: "",
    command: "",
    hosts: [],
    hostsFrom: "",
    isSandboxed: true,
    scripts: "",
    files: [],
    rule: "javascript:left-pad@^1.3.0",
  },
  preflight: {
    ...base,
    kind: "preflight",
    commitId: "y",
    troubles: ["red"],
    facts: [],
    checks: [
      {
        name: "test",
        command: "npm test",
        speed: "slow",
        reason: "",
        outcome: "failed",
        ms: 1,
        isSlow: false,
        failures: null,
        failureCount: null,
        output: "",
        remedy: null,
      },
    ],
    setUpFailures: [],
    proposed: { fast: [], slow: [] },
  },
  sandbox: { ...base, kind: "sandbox", description: "" },
  trouble: { ...base, kind: "trouble", title: "", detail: "", remedy: "", worker: null },
  "task-trouble": {
    ...base,
    kind: "trouble",
    title: "",
    detail: "",
    remedy: "",
    worker: "agent-1",
    task: true,
  },
};

test.each(Object.entries(cards))("a card of %s lists its answers, and each is parsed", (_, item) => {
  const answers = kindOfCard(item).options(item);
  expect(answers.length).toBeGreaterThanOrEqual(2);
  const lines = answerLines(item);
  expect(lines).toHaveLength(answers.length);
  const meant = answers.map(({ typed, does }, at) => {
    expect(lines[at]).toContain(`hox answer ${cardName(item)} ${typed}`);
    expect(lines[at]).toContain(does);
    const decision = understand(item, typed);
    expect(decision, typed).not.toBeNull();
    return JSON.stringify(decision);
  });
  // No two of them mean the same.
  expect(new Set(meant).size).toBe(meant.length);
});
