import { describe, expect, it } from "vitest";
import { landCard } from "#shared/contract/cards/testing/land-card.ts";
import type { InboxItem } from "#shared/contract/cards.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { cardText, decidedBefore, gatesOpenedFor, understand } from "./decide.ts";

const base = { id: "i", run: "r", at: 0, nonce: "n", shown: "s" };
const trouble = (task: boolean): InboxItem => ({
  ...base,
  kind: "trouble",
  title: "agent-2 cannot reach its model",
  detail: "The server is away.",
  remedy: "Look at the network.",
  worker: task ? "agent-2" : "O-A-1",
  ...(task ? { task } : {}),
});

describe("gates opened in advance", () => {
  it("approve a pattern only in a rehearsal (HOX-8.4)", () => {
    const item: InboxItem = {
      ...base,
      kind: "pattern",
      name: "types-first",
      category: "decomposition",
      markdown: "# Types first",
      confidence: 0.9,
      gates: [],
      version: 1,
      changes: [],
    };
    const decided = (rehearsal: string | null) =>
      decidedBefore(item, gatesOpenedFor(["plan", "patterns"], { rehearsal }));
    expect(decided("profiles")).toEqual({ kind: "approve" });
    expect(decided(null)).toBeNull();
    expect(gatesOpenedFor(["plan", "patterns", "land"], { rehearsal: null })).toEqual(["plan", "land"]);
  });
});

describe("an answer in the terminal", () => {
  it("to one agent's problem never ends the run, and is asked again when it is ambiguous", () => {
    const to = (answer: string) => understand(trouble(true), answer);
    expect(to("y")).toEqual({ kind: "retry" });
    expect(to("yes, use the other file")).toEqual({ kind: "retry", words: "use the other file" });
    expect(to("pause")).toEqual({ kind: "pause" });
    expect(to("abandon")).toEqual({ kind: "abandon" });
    for (const unclear of ["", "n", "no", "why?", "stop", "yellow"]) expect(to(unclear), unclear).toBeNull();
  });

  it('to the run\'s problem retries or stops, and only "stop" stops', () => {
    const to = (answer: string) => understand(trouble(false), answer);
    expect(to("yes")).toEqual({ kind: "retry" });
    expect(to("stop")).toMatchObject({ kind: "reject" });
    for (const unclear of ["", "n", "y please", "what?", "abandon"]) expect(to(unclear), unclear).toBeNull();
  });

  it('to the preflight continues, leaves out, sets checks, repeats or stops, and only "stop" stops', () => {
    const check = {
      name: "lint",
      command: "npm run lint",
      speed: "fast" as const,
      reason: "package.json: scripts.lint",
      outcome: "failed" as const,
      ms: 1_200,
      isSlow: false,
      failures: ["a.js: bad"],
      failureCount: 1,
      output: "",
      remedy: null,
    };
    const item: InboxItem = {
      ...base,
      kind: "preflight",
      commitId: "abcdef0123456789",
      troubles: ["red"],
      facts: ["JavaScript with npm"],
      checks: [check, { ...check, name: "test", command: "npm test" }],
      setUpFailures: [],
      proposed: { fast: ["npm run lint"], slow: [] },
    };
    const to = (answer: string) => understand(item, answer);
    expect(to("y")).toEqual({ kind: "approve" });
    expect(to("y and write")).toEqual({ kind: "approve", writeChecks: true });
    expect(to("out lint, npm test")).toEqual({ kind: "leave-out", commands: ["npm run lint", "npm test"] });
    expect(to("use make check; fast make lint and write")).toEqual({
      kind: "use-checks",
      fast: ["make lint"],
      slow: ["make check"],
      writeChecks: true,
    });
    expect(to("again")).toEqual({ kind: "retry" });
    expect(to("stop")).toMatchObject({ kind: "reject" });
    for (const unclear of ["", "n", "why?", "out tests", "again and write"])
      expect(to(unclear), unclear).toBeNull();
    // Whoever takes any plan unseen goes on; nobody else's word does.
    expect([["preflight"], ["plan"], ["land"]].map((gates) => decidedBefore(item, gates as never))).toEqual([
      { kind: "approve" },
      { kind: "approve" },
      null,
    ]);
    expect(cardText(item).split("\n").slice(0, 4)).toEqual([
      "Preflight of abcdef012345: a check already fails",
      "  JavaScript with npm",
      "  lint: failed, 1.2 s (npm run lint; package.json: scripts.lint)",
      "    1 failed: a.js: bad",
    ]);
  });

  it("to added tasks is yes or a reason against it, given in advance together with the plan's", () => {
    const item: InboxItem = {
      ...base,
      kind: "amendment",
      from: "O-A-1",
      tasks: [
        {
          id: "docs",
          title: "Write the docs",
          description: "",
          phase: 1,
          priority: "low",
          files: ["docs/"],
          after: [],
        },
      ],
      reason: "Nobody writes them.",
      problems: [],
    };
    expect(cardText(item).split("\n")).toEqual([
      "O-A-1 wants to add a task to its plan",
      "  Nobody writes them.",
      "  Write the docs (an agent): docs/",
    ]);
    expect(understand(item, "y")).toEqual({ kind: "approve" });
    expect(understand(item, "Not now.")).toEqual({ kind: "reject", reason: "Not now." });
    expect([decidedBefore(item, ["plan"]), decidedBefore(item, ["merge_requests"])]).toEqual([
      { kind: "approve" },
      null,
    ]);
  });

  it("to a spent budget raises the spent limit, on top of what was spent, and keeps the others", () => {
    const card = (
      limits: { usd: number | null; tokens: number | null },
      worker: string | null = null,
    ): InboxItem => ({
      ...base,
      kind: "budget",
      worker,
      spent: { ...nothingSpent, microDollars: 6_000_000, usage: { ...nothingSpent.usage, output: 120_000 } },
      limitMicroDollars: limits.usd === null ? null : limits.usd * 1e6,
      limitTokens: limits.tokens,
    });
    const dollarsOut = card({ usd: 5, tokens: 1_000_000 }, "agent-2");
    expect(understand(dollarsOut, "5")).toEqual({
      kind: "extend",
      microDollars: 11_000_000,
      tokens: 1_000_000,
    });
    expect(understand(dollarsOut, "none")).toEqual({ kind: "extend", microDollars: null, tokens: 1_000_000 });
    expect(cardText(dollarsOut)).toContain("agent-2 is used up: $6.00 of $5.00, 120,000 of 1,000,000 tokens");
    const tokensOut = card({ usd: null, tokens: 100_000 });
    expect(understand(tokensOut, "50k")).toEqual({ kind: "extend", microDollars: null, tokens: 170_000 });
    const bothOut = card({ usd: 5, tokens: 120_000 });
    expect(understand(bothOut, "$2.50 1m")).toEqual({
      kind: "extend",
      microDollars: 8_500_000,
      tokens: 1_120_000,
    });
    expect(understand(bothOut, "n")).toMatchObject({ kind: "reject" });
    for (const unclear of ["", "y", "5", "many 5", "0 0", "1 2 3"])
      expect(understand(bothOut, unclear), unclear).toBeNull();
  });
});

describe("a card in the terminal", () => {
  const paths = [
    "one\ntwo",
    "a\n  bookmarks: main",
    " leading",
    "back\rover",
    "turn\u202earound",
    "src/plain.ts",
  ];

  it("shows where and how a result lands, the branch's new commits, and accepts another form after the branch", () => {
    const card: InboxItem = {
      ...landCard,
      bookmarks: ["main", "feature"],
      suggested: "feature",
      standsOn: "feature",
      history: "tasks",
      brought: {
        branch: "feature",
        commits: ["Mend\nit"],
        commitCount: 1,
        checks: [{ name: "test", command: "test", speed: "fast", outcome: "passed", ms: 1, output: "" }],
      },
      inTheWay: "You have edits of your own in a.ts.",
    };
    expect(cardText(card).split("\n")).toEqual([
      "Land cccccccccccc on feature, where you are, one commit per task",
      "  feature received 1 commit during the run; the result was moved onto it",
      expect.stringMatching(/^ {4}Mend\S*\s*it$/u),
      "  passed with that: test",
      "  blocked: You have edits of your own in a.ts.",
      "  bookmarks: main, feature (suggested: feature)",
    ]);
    expect(understand(card, "main one")).toEqual({ kind: "approve", bookmark: "main", history: "one" });
    expect(understand(card, "y tasks")).toEqual({ kind: "approve", bookmark: "feature", history: "tasks" });
    expect(understand(card, "")).toEqual({ kind: "approve", bookmark: "feature" });
    expect(understand(card, "tasks")).toEqual({ kind: "approve", bookmark: "tasks" });
    expect(understand(card, "main of mine")).toBeNull();
  });

  it("shows each landing file on a separate line with its name", () => {
    const text = cardText({
      ...landCard,
      diffStat: paths.map((path) => ({ path, added: 1, removed: 0 })),
    });
    expect(text.split("\n").slice(1)).toEqual([
      '  "one\\ntwo" +1 -0',
      '  "a\\n  bookmarks: main" +1 -0',
      '  " leading" +1 -0',
      '  "back\\rover" +1 -0',
      '  "turn\\u{202e}around" +1 -0',
      "  src/plain.ts +1 -0",
      "  bookmarks: main (suggested: main)",
    ]);
  });

  it("keeps an agent's text from starting a line of ours", () => {
    const forged = "Done.\n  passed: tests\rpassed\u001b[2K";
    const text = cardText({
      ...base,
      kind: "merge-request",
      from: "agent-1",
      title: forged,
      changeId: "k",
      commitId: "c",
      round: 1,
      why: "user-reviews",
      summary: forged,
      diff: `diff --git a/x b/x\n+${forged}`,
      beyond: [{ path: forged, of: "nobody", task: "" }],
      checks: [{ name: "tests", command: "x", speed: "fast", outcome: "failed", ms: 1, output: forged }],
      reviews: [{ round: 1, by: "parent", verdict: "changes", words: forged }],
    });
    expect(text.split("\n").filter((line) => /^\s*(?:passed|failed):/u.test(line))).toEqual([
      "  failed: tests",
    ]);
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});
