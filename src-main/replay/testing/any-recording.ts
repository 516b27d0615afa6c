/** Recordings as runs would have written them, of any length and with any words in them. */
import fc from "fast-check";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import type { RecordedEvent, RunEvent } from "#shared/run/events.ts";
import { defaultConfig } from "../../config/settings.ts";
import { runInput } from "../../journal/testing/run-input.ts";
import { noGraphs, type Recording } from "../recording.ts";

const begun = Date.UTC(2026, 2, 1);

export const smallRecording = (over: Partial<Recording> = {}): Recording => ({
  run: "run1",
  input: { ...runInput, goal: "Keep users", model: "claude-sonnet-5-5" },
  stage: "planning",
  startedAt: begun,
  endedAt: null,
  config: defaultConfig,
  moments: [],
  conversations: {},
  spending: [],
  cards: [],
  graphs: noGraphs,
  ...over,
});

const workers = ["agent-1", "agent-2", "agent-3"] as const;
const anyWorker = fc.constantFrom(...workers);
/** Also quotes, half signs of two, line ends, and what JSON treats with care. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).filter((text) => text.isWellFormed()),
  fc.constantFrom('"__proto__"', "\\", "\u2028", "a\nb\r\n", "😀", '{"end":3}'),
);

const start: readonly RunEvent[] = [
  {
    kind: "StageMoved",
    orchestrator: "O-A-1",
    event: { kind: "StartOrchestration", limits: { repairRounds: 2, autoAdvance: true } },
  },
  ...workers.map(
    (name): RunEvent => ({
      kind: "WorkerJoined",
      worker: name,
      record: { name, role: "agent", parent: "O-A-1", title: `Task of ${name}`, task: name },
    }),
  ),
  {
    kind: "StageMoved",
    orchestrator: "O-A-1",
    event: {
      kind: "PlanningComplete",
      tasks: workers.map((task) => ({ task, phase: 1, after: [] })),
    },
  },
];

const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  anyWorker.map((worker): RunEvent => ({ kind: "WorkStarted", worker })),
  fc
    .tuple(anyWorker, anyText)
    .map(([worker, summary]): RunEvent => ({ kind: "SummaryWritten", worker, summary })),
  fc.tuple(anyWorker, fc.nat(9), anyText, fc.boolean()).map(
    ([worker, iteration, output, passes]): RunEvent => ({
      kind: "IterationEnded",
      worker,
      iteration,
      status: "in_progress",
      checks: [
        { name: "t", command: "t", speed: "fast", outcome: passes ? "passed" : "failed", ms: 1, output },
      ],
      contradicts: null,
      hasConflict: false,
      hasProgressed: passes,
      stalledAfter: 3,
      at: begun,
    }),
  ),
  anyWorker.map((worker): RunEvent => ({ kind: "WorkFinished", worker })),
  anyWorker.map((worker): RunEvent => ({ kind: "WorkerPaused", worker })),
  anyWorker.map((worker): RunEvent => ({ kind: "WorkerResumed", worker })),
  fc.tuple(anyWorker, anyText, fc.nat(5)).map(
    ([from, question, id]): RunEvent => ({
      kind: "QuestionAsked",
      question: { id: `q${id}`, from, question, options: [], blocking: true },
    }),
  ),
  fc
    .tuple(fc.nat(5), anyText)
    .map(([id, answer]): RunEvent => ({ kind: "QuestionAnswered", id: `q${id}`, answer })),
  fc.constantFrom<RunEvent>(
    { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "ContractsComplete" } },
    { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "Pause" } },
    { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "Resume" } },
    { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "Stop", by: "user" } },
    ...workers.map(
      (task): RunEvent => ({
        kind: "StageMoved",
        orchestrator: "O-A-1",
        event: { kind: "TaskComplete", task },
      }),
    ),
  ),
);

/** With a time that stands still or goes on. */
const timed = <T>(values: readonly T[], steps: readonly number[]): readonly (readonly [number, T])[] => {
  let at = begun;
  return values.map((value, index) => {
    at += steps[index % Math.max(1, steps.length)] ?? 0;
    return [at, value] as const;
  });
};

const anySteps = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 7 });

/** @param most events beside those with which each run begins */
export const anyMoments = (most: number): fc.Arbitrary<readonly RecordedEvent[]> =>
  fc
    .tuple(fc.array(anyEvent, { maxLength: most }), anySteps)
    .map(([events, steps]) => timed([...start, ...events], steps).map(([at, event]) => ({ at, event })));

const anyRows = fc
  .tuple(fc.array(fc.tuple(anyText, anyText), { maxLength: 6 }), anySteps)
  .map(([texts, steps]) =>
    timed(texts, steps).map(
      ([at, [text, path]], index): ConversationRow =>
        index % 2 === 0
          ? { index, at, kind: "text", text }
          : {
              index,
              at,
              kind: "tool-call",
              id: `call${index}`,
              tool: "read_file",
              input: { path, deep: [text] },
            },
    ),
  );

const anyCards = fc.array(fc.tuple(anyText, fc.boolean()), { maxLength: 3 }).map((all) =>
  all.map(([question, isAnswered], index) => ({
    item: {
      kind: "align-request",
      id: `card${index}`,
      nonce: "",
      at: begun + index,
      run: "run1",
      question,
      options: [],
      from: "agent-1",
      orchestrator: "O-A-1",
    } as unknown as InboxItem,
    answeredAt: isAnswered ? begun + index + 10 : null,
    decision: isAnswered ? ({ kind: "answer", text: question } as const) : null,
  })),
);

const anySpending = fc
  .tuple(fc.array(fc.tuple(anyWorker, fc.nat(9)), { maxLength: 8 }), anySteps)
  .map(([requests, steps]) =>
    timed(requests, steps).map(([at, [worker, input]]) => ({
      worker,
      model: "m",
      at,
      spent: { usage: { ...noUsage, input }, microDollars: input, requests: 1 },
    })),
  );

const anyGraphs = fc.array(anyText, { maxLength: 4 }).map((descriptions) => ({
  changes: descriptions.map((description, index) => ({
    commitId: `c${index}`,
    changeId: `k${index}`,
    parents: index === 0 ? [] : [`c${index - 1}`],
    description,
    author: { name: "agent-1", email: "" },
    timestamp: begun,
    metadata: { run: "run1" } as never,
    immutable: false,
    divergent: false,
    conflict: false,
  })),
  graphs: descriptions.map((_, index) => ({
    at: begun + index,
    operation: `${index}`,
    rows: Array.from({ length: index + 1 }, (__, row) => index - row),
    refs: { bookmarks: { main: [`c${index}`] }, workspaces: {} },
  })),
}));

export const anyRecording: fc.Arbitrary<Recording> = fc
  .tuple(anyText, anyMoments(40), fc.tuple(anyRows, anyRows), anyCards, anyGraphs, anySpending)
  .map(([goal, moments, [first, second], cards, graphs, spending]) => {
    const plain = smallRecording();
    return smallRecording({
      input: { ...plain.input, goal },
      moments,
      conversations: Object.fromEntries(
        Object.entries({ "agent-1": first, "O-A-1": second }).filter(([, rows]) => rows.length > 0),
      ),
      spending,
      cards,
      graphs,
    });
  });
