import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { openJournal } from "../../journal/journal.ts";
import { schemaVersions } from "../../journal/schema.ts";
import { importFacts } from "./import-facts.ts";
import { replayModel } from "./reduce-model.ts";
import type { ModelEvent } from "./run-events.ts";
import { emptyModel } from "./run-model.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-import-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const decision = { changeId: "d", title: "t", reason: "r", files: [], contradicted: [] };
const imported = (run: unknown, facts: Readonly<Record<string, unknown>> = {}) =>
  importFacts({ kind: "Imported", run, facts });

test("facts of a version that knew one orchestrator become the root's", () => {
  const model = imported({
    plan: null,
    planApproved: true,
    base: "b",
    integration: "i",
    onto: { changeId: "o", commitId: "c" },
    // Decisions had no owner then.
    decisions: [decision],
  });
  expect(model.orchestrators).toEqual({
    "O-A-1": { ...noOwnFacts, planApproved: true, base: "b", integration: "i" },
  });
  expect(model.onto).toEqual({ changeId: "o", commitId: "c" });
  expect(model.decisions).toEqual([{ ...decision, orchestrator: "O-A-1" }]);
  expect(model).not.toHaveProperty("base");
  expect(imported(null)).toEqual(emptyModel);
});

test("how far the landing was, and what a person answered to troubles", () => {
  const landed = { bookmark: "main", changeId: "c", from: null, to: "t", undoneAt: null };
  const move = { branch: "main", from: "f", commitId: "t", changeId: "c", workers: { "agent-1": "d" } };
  const model = imported(
    { landed },
    {
      "validated-commit": "v",
      "land-round": 2,
      "land-shown": { commitId: "v", bookmarks: { main: ["f"] } },
      "land-move": move,
      "landing-bringing": null,
      "trunk-moved": false,
      "trouble/agent-1": 3,
      "trouble/provider/quota": 1,
      "hooks-after-run": "due",
    },
  );
  expect(model.landing).toEqual({
    compared: null,
    isReturned: false,
    judged: "v",
    question: 2,
    shown: { commitId: "v", bookmarks: { main: ["f"] } },
    bringing: null,
    brought: null,
    hasTrunkMoved: false,
    move,
    landed: { bookmark: "main", changeId: "c", move: { from: null, to: "t" }, undoneAt: null },
  });
  expect(model.troubles).toEqual({ "agent-1": 3, "provider/quota": 1 });
  expect(model.hasPendingHooks).toBe(true);
  expect(model).not.toHaveProperty("landed");
  // The oldest kept no note of where the branch had stood.
  expect(imported({ landed: { bookmark: "main", changeId: "c" } }).landing.landed).toEqual({
    bookmark: "main",
    changeId: "c",
    move: null,
    undoneAt: null,
  });
});

test("what each orchestrator had planned, and what nobody had told it yet", () => {
  const amendment = { before: { tasks: [] }, after: { tasks: [] }, edits: [] };
  const merged = { commitId: "m", checks: [] };
  const model = imported(
    { orchestrators: { "O-A-1": { base: "a" }, "O-B-1": { base: "b" } } },
    {
      "plan-rejected/1": "Too large.",
      "plan-touching": 2,
      amendment,
      "names-known": { parse: true, print: false },
      "contracts-written": 1,
      "contracts-in-conflict/O-A-1": 3,
      "merged-checks": merged,
      "plan-news": ["adds a task"],
      "O-B-1/plan-rejected/2": "",
      "O-B-1/amendment": null,
      "O-B-1/contracts-written": 2,
      "O-B-1/child-news": ["agent-2 notes: done"],
    },
  );
  expect(model.orchestrators).toEqual({
    "O-A-1": {
      ...noOwnFacts,
      base: "a",
      refusals: { 1: "Too large." },
      firstTouching: 2,
      amendment,
      contractsWritten: 1,
      contractsCorrected: 3,
      merged,
    },
    "O-B-1": { ...noOwnFacts, base: "b", refusals: { 2: "" }, contractsWritten: 2 },
  });
  expect(model.news).toEqual({
    "O-A-1": { plan: ["adds a task"], children: [] },
    "O-B-1": { plan: [], children: ["agent-2 notes: done"] },
  });
});

test("what was kept beside a worker", () => {
  const agent = { name: "agent-1", role: "agent", parent: "O-A-1", title: "Write it" };
  const messages = [{ changeId: "m" }];
  const model = imported(
    {},
    {
      "worker/agent-1": agent,
      "worker/agent-2": { ...agent, name: "agent-2" },
      "notes/agent-1": ["slow"],
      "handled/m/agent-1": true,
      "handled/n/agent-1": false,
      "handled/n/agent-2": true,
      "set-up/agent-1": "1 2",
      "status-said/agent-1": "blocked",
      "status-said/agent-2": null,
      messages,
    },
  );
  expect(model.workers["agent-1"]).toMatchObject({
    remarks: ["slow"],
    handled: ["m"],
    setUp: "1 2",
    statusSaid: { status: "blocked", nth: 1 },
  });
  expect(model.workers["agent-2"]).toMatchObject({
    remarks: [],
    handled: ["n"],
    setUp: null,
    statusSaid: null,
  });
  expect(model.messages).toEqual(messages);
});

test("what was kept as events with a number each", () => {
  const request = { manager: "npm", name: "tiny-pad", version: null, folder: "", isDevelopment: false };
  const takenOut = { kind: "TakenOut", card: "p", paths: ["CLAUDE.md"], commit: "c" };
  const model = imported(
    {},
    {
      "first-look/000000": { kind: "Skipped" },
      "dependencies/000000": { kind: "Requested", id: "1", worker: "agent-1", why: "Pads.", request },
      "dependencies/000001": { kind: "Failed", id: "1", words: "Gone." },
      "protected-changes/k/000000": takenOut,
      "protected-changes/k/000001": { kind: "LeftOut", card: "p" },
      "installed-packages": { id: "1-0", folder: "/packages", names: ["node_modules"] },
      "whole-copies-told": true,
    },
  );
  expect(model.firstLook).toMatchObject({ isSettled: true, looks: 0 });
  expect(model.dependencies).toMatchObject([{ id: "1", outcome: { kind: "failed", words: "Gone." } }]);
  expect(model.protectedChanges).toEqual({ k: [takenOut, { kind: "LeftOut", card: "p" }] });
  expect(model.packages).toEqual({ id: "1-0", folder: "/packages", names: ["node_modules"] });
  expect(model.areCopiesTold).toBe(true);
});

/** A journal as the version before wrote it. */
function journalOfBefore(facts: Readonly<Record<string, unknown>>): string {
  const path = join(folder, "journal.sqlite");
  const database = new DatabaseSync(path);
  for (const version of schemaVersions.slice(0, 3)) database.exec(version);
  database.exec("PRAGMA user_version = 3");
  database.exec("INSERT INTO runs (id, started_at, stage, input) VALUES ('r1', 1, 'executing', '{}')");
  database.exec("INSERT INTO runs (id, started_at, stage, input) VALUES ('r2', 2, 'idle', '{}')");
  database.exec(`INSERT INTO events (run, at, event) VALUES ('r1', 1, '{"kind":"Pause"}')`);
  const insert = database.prepare("INSERT INTO facts (run, name, value) VALUES ('r1', ?, ?)");
  for (const [name, value] of Object.entries(facts)) insert.run(name, JSON.stringify(value));
  database.close();
  return path;
}

test("a journal of the version before goes on as it stood: run, workers in their order, what was counted beside them", () => {
  const agent = { name: "agent-1", role: "agent", parent: "O-A-1", title: 'Write "it"', status: "review" };
  const review = { round: 1, by: "parent", verdict: "changes", words: "Shorter." };
  const path = journalOfBefore({
    run: { ...emptyModel, workers: undefined, exchanges: [{ id: "q", from: "agent-1", answer: null }] },
    config: { models: {} },
    "worker/O-A-1": { name: "O-A-1", role: "orchestrator", parent: null, title: "Plans" },
    "worker/agent-1": {
      ...agent,
      contextTokens: 7,
      toolCalls: 9,
      held: true,
      fold: { state: { stage: "open" }, round: 1, summary: "", checks: [], voices: [review] },
      seen: "review",
      quiets: 2,
      exchange: "q",
    },
    "granted/agent-1": 2,
    "budget-stops/agent-1": 1,
    "checks/agent-1/1": {
      iteration: 1,
      results: [{ name: "sh check.sh", outcome: "failed", ms: 1, output: "" }],
    },
    "handled/m/agent-1": true,
  });
  const journal = openJournal(path, () => 3);
  try {
    const model = replayModel(journal.modelEvents<ModelEvent>("r1"));
    expect(Object.keys(model.workers)).toEqual(["O-A-1", "agent-1"]);
    expect(model.workers["agent-1"]).toMatchObject({ ...agent, isHeld: true, grants: 2, budgetStops: 1 });
    expect(model.workers["agent-1"]?.fold?.reviews).toEqual([review]);
    expect(model.workers["agent-1"]?.fold).not.toHaveProperty("voices");
    expect(model.workers["agent-1"]).toMatchObject({
      checkRounds: [{ iteration: 1 }],
      blocked: null,
      lastGraphStatus: "review",
      stallCount: 2,
      awaitedQuestion: "q",
      notes: [],
    });
    expect(model.workers["agent-1"]).not.toHaveProperty("toolCalls");
    expect(model.questions).toEqual([{ id: "q", from: "agent-1", answer: null }]);
    expect(model.limits).toEqual(emptyModel.limits);
    // The course and the configuration are what they were.
    expect(model.workers["agent-1"]?.handled).toEqual(["m"]);
    expect(journal.config("r1")).toEqual({ models: {} });
    expect(journal.events("r1")).toEqual([{ orchestrator: "O-A-1", event: { kind: "Pause" } }]);
    expect(journal.modelEvents("r2")).toEqual([]);
  } finally {
    journal.close();
  }
});
