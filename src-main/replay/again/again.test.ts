import { expect, it } from "vitest";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { defaultConfig } from "../../config/config-of.ts";
import type { JournalledEvent } from "../../engine/model/run-events.ts";
import { choose } from "../../model/stand-in/route.ts";
import type { Seen, SeenResult } from "../../model/stand-in/script.ts";
import type { RecordedMoment } from "../recording.ts";
import { smallRecording } from "../testing/any-recording.ts";
import { compareCourses } from "./compare-courses.ts";
import { createNamesOfNow } from "./names-of-now.ts";
import { recordedRounds } from "./recorded-rounds.ts";
import { recordedScript } from "./recorded-script.ts";
import { runAgain } from "./run-again.ts";
import { settingsAgain } from "./settings-again.ts";
import { namesAgain, startAgain } from "./start-again.ts";

type Entry = ConversationRow extends infer Row
  ? Row extends unknown
    ? Omit<Row, "index" | "at">
    : never
  : never;

const rowsOf = (...entries: readonly Entry[]): readonly ConversationRow[] =>
  entries.map((entry, index) => ({ ...entry, index, at: index }) as ConversationRow);
const usage: Entry = { kind: "usage", usage: noUsage, microDollars: 1, model: "m" };
const called = (id: string): Entry => ({ kind: "tool-call", id, tool: "read_file", input: { path: id } });
const came = (id: string): Entry => ({
  kind: "tool-result",
  id,
  tool: "read_file",
  output: `of ${id}`,
  error: null,
  ms: 1,
});

it("takes answers from rows: calls side by side are one answer, and words that broke off are none", () => {
  const rows = rowsOf(
    { kind: "prompt", text: "first", iteration: 1 },
    { kind: "thinking", text: "hm" },
    { kind: "text", text: "I look." },
    usage,
    ...[called("a"), called("b"), came("b"), came("a")],
    { kind: "text", text: "Broken o" },
    { kind: "retry", reason: "cut", attempt: 1, waitMs: 1 },
    { kind: "text", text: "Done." },
    usage,
    { kind: "prompt", text: "second", iteration: 2 },
    usage,
    ...[called("c"), came("c")],
  );
  const read = (...paths: readonly string[]) => paths.map((path) => ({ tool: "read_file", input: { path } }));
  const saying = (output: string) => ({ output, isError: false });
  expect(recordedRounds("agent-1", rows)).toEqual([
    {
      worker: "agent-1",
      prompt: "first",
      at: 0,
      answers: [
        {
          step: { thinking: "hm", say: "I look.", calls: read("a", "b"), usage: noUsage },
          results: [saying("of a"), saying("of b")],
          at: 5,
        },
        { step: { say: "Done.", usage: noUsage }, results: [], at: 11 },
      ],
    },
    {
      worker: "agent-1",
      prompt: "second",
      at: 12,
      answers: [{ step: { calls: read("c"), usage: noUsage }, results: [saying("of c")], at: 14 }],
    },
  ]);
});

const anyTime = { turnOf: async () => undefined, passed: () => undefined };
const request = (over: Partial<Seen>): Seen => ({
  ...{ role: "agent-1", model: "m", system: "", tools: ["list_files", "read_file"], opening: "first" },
  ...{ prompt: "first", turn: 0, turns: 0, results: [], history: [] },
  ...over,
});
const result = (isError: boolean): SeenResult => ({ tool: "read_file", input: {}, output: "of a", isError });

it("looks around where somebody was cut off then, but not where a call came to something else", async () => {
  const rows = rowsOf({ kind: "prompt", text: "first", iteration: 1 }, usage, called("a"), came("a"));
  const recorded = recordedScript(recordedRounds("agent-1", rows), createNamesOfNow(), anyTime);
  const { script, waiting, turnOf, beyond: told } = recorded;
  expect(choose(script, request({})).step.calls).toEqual([{ tool: "read_file", input: { path: "a" } }]);
  const beyond = { turn: 1, turns: 1 };
  const failed = request({ ...beyond, results: [result(true)] });
  expect(() => choose(script, failed)).toThrow("No scene");
  await turnOf(failed);
  expect(told()).toBe(
    "agent-1 was asked to go on where its recorded answers end: read_file came to something else than then, of a",
  );
  expect(waiting()).toEqual(new Set());
  const { step } = choose(script, request({ ...beyond, results: [result(false)] }));
  expect(step.calls).toEqual([{ tool: "list_files", input: { recursive: false } }]);
  expect(waiting()).toEqual(new Set(["agent-1"]));
});

it("lets an archangel that is asked more often say nothing, and nobody else", () => {
  const { script, saidNothing } = recordedScript([], createNamesOfNow(), anyTime);
  const asked = { role: "archangel-watch", tools: ["comment", "nothing_to_say"] };
  expect(choose(script, request(asked)).step.calls).toEqual([{ tool: "nothing_to_say", input: {} }]);
  expect(saidNothing()).toEqual(new Map([["archangel-watch", 1]]));
  expect(() => choose(script, request({}))).toThrow("No scene");
});

it("begins as the run was begun, with what it may spend, and what a person gave it later without a card", () => {
  const plain = smallRecording();
  const limitsSet = (tokens: number | null): JournalledEvent => ({
    kind: "RunLimitsSet",
    limits: { tokens, microDollars: null },
  });
  const input = {
    ...plain.input,
    maxTokens: 900,
    isQuick: true,
    root: "O-A-2",
    efforts: { agent: "low" as const },
  };
  const recording = smallRecording({
    input,
    attachments: [{ name: "a.txt", data: "YQ==" }],
    // What the plan says of it narrows it, and is said again.
    moments: moments(limitsSet(900), limitsSet(500)),
  });
  expect(startAgain(recording)).toMatchObject({
    quick: true,
    maxTokens: 900,
    maxMicroDollars: null,
    efforts: { agent: "low" },
    attachments: [{ name: "a.txt" }],
  });
  const raised = { ...recording, moments: moments(limitsSet(900), limitsSet(500), limitsSet(2_000)) };
  expect(startAgain(raised).maxTokens).toBe(2_000);
  const joined: JournalledEvent = {
    kind: "WorkerJoined",
    worker: "agent-4",
    record: { name: "agent-4", role: "agent", parent: "O-A-2", title: "", task: "store" },
  };
  expect(namesAgain({ ...recording, moments: moments(joined) })).toEqual({
    root: "O-A-2",
    workers: [{ name: "agent-4", parent: "O-A-2", task: "store" }],
  });
});

it("refuses a run that only reviewed sessions", async () => {
  const recording = smallRecording({ input: { ...smallRecording().input, isWatch: true } });
  const options = { recording, source: null, folder: "", hosts: [], newId: () => "" };
  await expect(runAgain(options)).rejects.toThrow("sessions outside Hox, which are not in its recording");
});

it("calls nobody by a name that nobody can have, as a file may say anything", () => {
  const plain = smallRecording();
  const named = (name: string): JournalledEvent => ({
    kind: "WorkerJoined",
    worker: name,
    record: { name, role: "agent", parent: "O-A-1", title: "", task: name },
  });
  const input = { ...plain.input, root: "..\\..\\O-A-1" };
  const names = ["..", "..\\..\\elsewhere", "/etc", "agent-2", "O-B-1"].map(named);
  expect(namesAgain({ ...plain, input, moments: moments(...names) })).toEqual({
    root: "O-A-1",
    workers: ["agent-2", "O-B-1"].map((name) => ({ name, parent: "O-A-1", task: name })),
  });
});

it("translates ids that both runs say in the same line, their beginnings too, and nothing else", () => {
  const names = createNamesOfNow();
  const [then, now] = [
    "bff8adbeba517f8d417cad04aefe775bead665d2",
    "0123456789abcdef0123456789abcdef01234567",
  ];
  names.learn(
    `Seat: 1\nCommit: ${then}\nIt took 4711 ms.`,
    `New line\nSeat: 1\nCommit: ${now}\nIt took 815 ms.`,
  );
  expect(
    names.translate({ commit: then, why: `See ${then.slice(0, 12)} after 4711 ms.`, other: "cafecafecafe" }),
  ).toEqual({ commit: now, why: `See ${now.slice(0, 12)} after 4711 ms.`, other: "cafecafecafe" });
});

const ended = (worker: string, outcome: "passed" | "failed"): JournalledEvent => ({
  kind: "IterationEnded",
  worker,
  iteration: 1,
  status: "in_progress",
  checks: [{ name: "test", command: "test", speed: "fast", outcome, ms: 1, output: "Tests:\n1 of 3\n" }],
  contradicts: null,
  hasConflict: false,
  hasProgressed: true,
  stalledAfter: 3,
  at: 1,
});
const moments = (...events: readonly JournalledEvent[]): readonly RecordedMoment[] =>
  events.map((event, at) => ({ at, event }));
const course = (events: readonly JournalledEvent[], files: Readonly<Record<string, string | null>> = {}) => ({
  moments: moments(...events),
  works: [{ worker: "agent-1", files }],
});

it("says where work, files and course differ, and not that another agent was first", () => {
  const [one, other] = [ended("agent-1", "passed"), ended("agent-2", "passed")];
  expect(compareCourses(course([one, other], { a: "1" }), course([other, one], { a: "1" }))).toEqual([]);
  expect(
    compareCourses(
      course([one, other], { "a.ts": "1", "b.ts": "2" }),
      course([ended("agent-1", "failed"), other], { "a.ts": "3", "c.ts": null }),
    ),
  ).toEqual([
    {
      what: "work",
      who: "agent-1",
      recorded: "iteration 1: test passed",
      now: "iteration 1: test failed, it says: 1 of 3",
    },
    { what: "files", who: "agent-1", recorded: "a.ts 1", now: "a.ts 3" },
    { what: "files", who: "agent-1", recorded: "b.ts 2", now: "b.ts untouched" },
    { what: "files", who: "agent-1", recorded: "c.ts untouched", now: "c.ts removed" },
  ]);
  const stage = (kind: "ContractsComplete" | "AllTasksComplete"): JournalledEvent => ({
    kind: "StageMoved",
    orchestrator: "O-A-1",
    event: { kind },
  });
  expect(
    compareCourses(
      course([stage("ContractsComplete"), stage("AllTasksComplete")]),
      course([stage("ContractsComplete")]),
    ),
  ).toEqual([{ what: "course", who: "O-A-1", recorded: "AllTasksComplete", now: "nothing more" }]);
});

it("takes over the settings but nothing that reaches further than the repository", () => {
  const config = {
    ...defaultConfig,
    backpressure: { ...defaultConfig.backpressure, fastChecks: ["sh check.sh"] },
    hooks: [{ name: "mail", on: "run-complete" as const, command: "mail everybody", timeoutSeconds: 60 }],
    sandbox: { hosts: ["example.org"] },
    metrics: { ...defaultConfig.metrics, otlpEndpoint: "http://example.org" },
    dependencies: { ...defaultConfig.dependencies, allow: ["example-package"] },
  };
  const file = settingsAgain(config, []);
  expect(file).toContain('fast_checks = [ "sh check.sh" ]');
  expect(file).not.toMatch(/mail|example/u);
  expect(settingsAgain(config, ["example.org"])).toContain('hosts = [ "example.org" ]');
});
