import { expect, it } from "vitest";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { defaultConfig } from "../../config/config-of.ts";
import type { JournalledEvent } from "../../engine/model/run-events.ts";
import type { RecordedMoment } from "../recording.ts";
import { compareCourses } from "./compare-courses.ts";
import { createNamesOfNow } from "./names-of-now.ts";
import { recordedRounds } from "./recorded-rounds.ts";
import { settingsAgain } from "./settings-again.ts";

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
  expect(recordedRounds("agent-1", rows)).toEqual([
    {
      worker: "agent-1",
      prompt: "first",
      answers: [
        {
          step: {
            thinking: "hm",
            say: "I look.",
            calls: [
              { tool: "read_file", input: { path: "a" } },
              { tool: "read_file", input: { path: "b" } },
            ],
          },
          results: ["of a", "of b"],
        },
        { step: { say: "Done." }, results: [] },
      ],
    },
    {
      worker: "agent-1",
      prompt: "second",
      answers: [{ step: { calls: [{ tool: "read_file", input: { path: "c" } }] }, results: ["of c"] }],
    },
  ]);
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
  checks: [{ name: "test", command: "test", speed: "fast", outcome, ms: 1, output: "" }],
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
    { what: "work", who: "agent-1", recorded: "iteration 1: test passed", now: "iteration 1: test failed" },
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
  };
  const file = settingsAgain(config, []);
  expect(file).toContain('fast_checks = [ "sh check.sh" ]');
  expect(file).not.toMatch(/mail|example/u);
  expect(settingsAgain(config, ["example.org"])).toContain('hosts = [ "example.org" ]');
});
