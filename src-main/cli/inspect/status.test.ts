import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { waitsForPlace } from "#shared/domain/worker/roles.ts";
import { aWorker } from "#shared/testing/kit.ts";
import { formatLandedVerdict, progressLines } from "../run/progress.ts";
import { executingRun as run } from "../testing/run-view.ts";
import { statusLines } from "./status.ts";

const shown = (over: Partial<RunView>): readonly string[] =>
  statusLines({ at: 0, pid: 1, run: { ...run, ...over }, otherRuns: [], inbox: [] });

test("the status shows a pause by the provider", () => {
  const lines = (providerLimit: NonNullable<RunView["providerLimit"]> | null) =>
    shown({ providerLimit }).join("\n");
  const until = new Date(2026, 10, 21, 14, 5).getTime();
  expect(lines({ kind: "limit", since: 0, until, reason: "429" })).toContain(
    "Provider limit reached: resumes at 14:05:00",
  );
  expect(lines({ kind: "limit", since: 0, until: null, reason: "429" })).toContain(
    "resume when quota is available again",
  );
  const since = until - 600_000;
  const outage = lines({ kind: "outage", since, until, reason: "The provider is overloaded." });
  expect(outage).toContain("The provider is overloaded (since 13:55:00); next attempt at 14:05:00");
  expect(lines(null)).not.toContain("limit:");
});

test("the status and the live output show how many slots there are and where that is set", () => {
  const waiting: RunView = {
    ...run,
    maxParallelAgents: 1,
    workers: [
      aWorker("agent-1", { state: "tools", activity: "writes api.ts" }),
      aWorker("agent-2", { state: "sleeping", activity: waitsForPlace }),
    ],
  };
  const words = "waiting for a free slot: 1 of 1 is taken (hox budget --agents)";
  expect(shown(waiting)).toContain(`  agent-2      in_progress  ${words}`);
  expect(progressLines(run, waiting)).toContain(`   agent-2      ${words}`);
});

test("the status shows the checks before the run, and the end what landed unchecked or still failing", () => {
  const lines = ["JavaScript with npm", "lint  failed, 1.0 s"];
  const preflight = {
    commitId: "abcdef0123456789",
    isSettled: true,
    lines,
    versions: [],
    checks: [],
    isUnchecked: false,
  };
  const expected = ["-- preflight of abcdef012345", "   JavaScript with npm", "   lint  failed, 1.0 s"];
  expect(shown({ preflight })).toEqual(expect.arrayContaining(expected));
  // In a run it is told once, when nobody has to decide on it any more.
  expect(progressLines({ ...run, preflight: null }, { ...run, preflight })).toEqual(expected);
  expect(progressLines({ ...run, preflight }, { ...run, preflight })).toEqual([]);
  expect(progressLines(run, { ...run, preflight: { ...preflight, isSettled: false } })).toEqual([]);

  const landed = (outcomes: readonly CheckResult["outcome"][]): string => {
    const checks = outcomes.map((outcome) => {
      return { name: outcome, command: outcome, speed: "fast" as const, outcome, ms: 0, output: "" };
    });
    const seen = { commitId: "a", attempt: 1, seats: [], quorum: 3, tolerated: 1, checks };
    return formatLandedVerdict({ ...run, validation: { ...seen, verdict: "approved" } });
  };
  expect(landed([])).toBe(", unchecked: no check ran");
  expect(landed(["passed"])).toBe("");
  expect(landed(["passed", "known-failure"])).toBe("; already failing before this run: known-failure");
});

test("a verdict is printed with the track record of its panel", () => {
  const validation = {
    ...{ commitId: "a", attempt: 1, quorum: 1, tolerated: 0, checks: [], verdict: "approved" as const },
    seats: [
      {
        seat: "validator-1",
        evidence: "result",
        vote: "approve" as const,
        reason: "Fine.",
        at: 1,
        counted: true,
      },
    ],
  };
  const trust = { approved: 11, undone: 1, reverted: 0, reopened: 0, rejected: 4, overruled: 2 };
  const judged = { ...run, validation, trust };
  const words = "Track record of this panel: 11 approved (1 undone), 4 rejected (2 overruled).";
  expect(shown(judged)).toEqual(expect.arrayContaining(["verdict: approved", `  ${words}`]));
  expect(progressLines(run, judged).map((line) => line.trim())).toEqual([
    "1 seat",
    "1 of 1 must approve. One validator tolerates no error: a single wrong vote can decide. Fault tolerance needs four.",
    "validator-1  approve (whole result): Fine.",
    "approved: 1 of 1 approve, 1 is needed",
    words,
  ]);
  expect(progressLines(judged, judged)).toEqual([]);
});

test("an outage is reported at its start and end, however often it is retried", () => {
  const outage = (until: number) => ({
    kind: "outage" as const,
    since: 0,
    until,
    reason: "The provider is overloaded.",
    remedy: "Nothing to do.",
  });
  const expected = [null, outage(1_000), outage(2_000), outage(60_000), null].map((providerLimit) => ({
    ...run,
    providerLimit,
  }));
  const lines = expected
    .slice(1)
    .map((after, at) => progressLines(expected[at] ?? null, after).map((line) => line.trim()));
  expect(lines).toEqual([
    [
      expect.stringMatching(/^The provider is overloaded \(since .*\); next attempt at /),
      "Nothing to do.",
      "To retry now, run `hox resume` in another terminal.",
    ],
    [],
    [],
    ["The provider responds again; all agents resume."],
  ]);
});

test("the status shows conflict forecasts while the run is active", () => {
  const lines = (over: Partial<RunView>) => shown(over).filter((line) => /radar/.test(line));
  expect(lines({})).toEqual(["radar: agent-1 and agent-2 both change api.ts, CHANGELOG.md"]);
  expect(lines({ radar: [] })).toEqual([]);
  const collision = {
    ...{ id: "agent-1/agent-2", a: "agent-1", b: "agent-2", places: [], files: ["api.ts"], reported: {} },
    ...{ asked: null, orderedBy: "O-A-1" },
    order: { kind: "wait", worker: "agent-2", for: "agent-1", ended: null },
  } as const;
  expect(lines({ collisions: [collision] })).toEqual([
    "radar: agent-1 and agent-2 both change api.ts, CHANGELOG.md (agent-2 waits for agent-1)",
  ]);
  const workers = ["agent-1", "agent-2", "agent-3"];
  expect(
    lines({ radar: [], radarCrowds: [{ path: "api.ts", lines: { from: 40, to: 60 }, workers }] }),
  ).toEqual(["radar: api.ts, lines 40–60: 3 agents (agent-1, agent-2, agent-3)"]);
  expect(lines({ endedAt: 1, stage: "stopped" })).toEqual([]);
});

test("the status shows agents that do not follow a decision yet, with the line", () => {
  const compliance = {
    worker: "agent-1",
    state: "contradicts",
    shownBy: "compliance",
    reason: "It still says userId.",
    places: [
      { path: "src/a.ts", line: 3, text: "userId" },
      { path: "src/ids.ts", line: null, text: "user_id" },
    ],
    guessed: [],
  } as const;
  const decision = { changeId: "k", orchestrator: "O-A-1", title: "user_id", reason: "", files: [] };
  const decisions = [
    { ...decision, compliance: [compliance, { ...compliance, worker: "b", state: "complies" as const }] },
  ];
  const lines = (over: Partial<RunView>) =>
    shown({ decisions, ...over }).filter((line) => line.startsWith("decision:"));
  expect(lines({})).toEqual(['decision: agent-1 contradicts "user_id" in src/a.ts:3, src/ids.ts']);
  expect(lines({ endedAt: 1, stage: "complete" })).toEqual([]);
});
