import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noMergeRequest } from "../merge-request/merge-request.ts";
import type { Plan } from "../plan/plan.ts";
import { reduceWorker, reduceWorkers, type Workers } from "./reduce-workers.ts";
import type { WorkerEvent } from "./worker-events.ts";
import { newWorker, type WorkerRecord } from "./worker-record.ts";

const agent = (name: string, more: Partial<Parameters<typeof newWorker>[0]> = {}) =>
  newWorker({ name, role: "agent", parent: "O-A-1", title: "Write it", task: name, phase: 1, ...more });
const workers: Workers = { "agent-1": agent("agent-1"), "agent-2": agent("agent-2", { parent: "O-B-1" }) };
const task = { title: "Write it well", phase: 2, id: "agent-1" } as Plan["tasks"][number];
const plan = { tasks: [task] } as unknown as Plan;

test("a renamed task renames only its worker", () => {
  const after = reduceWorkers(workers, { kind: "PlanRevised", orchestrator: "O-A-1", plan });
  expect(after["agent-1"]).toMatchObject({ title: "Write it well", phase: 2 });
  expect(after["agent-2"]).toBe(workers["agent-2"]);
  // Said once more it says nothing new.
  expect(reduceWorkers(after, { kind: "PlanRevised", orchestrator: "O-A-1", plan })).toBe(after);
  expect(reduceWorkers(workers, { kind: "PlanProposed", orchestrator: "O-A-1", plan })).toBe(workers);
});

test("a blocking question waits until the answer is received or not needed", () => {
  const question = { id: "q", from: "agent-1", question: "?", options: [], blocking: true };
  const waiting = reduceWorkers(workers, { kind: "QuestionAsked", question });
  expect(waiting["agent-1"]?.awaitedQuestion).toBe("q");
  expect(reduceWorkers(workers, { kind: "QuestionAsked", question: { ...question, blocking: false } })).toBe(
    workers,
  );
  // An answer that was sent is not yet one that was received.
  expect(reduceWorkers(waiting, { kind: "QuestionAnswered", id: "q", answer: "yes" })).toBe(waiting);
  for (const end of [
    { kind: "AnswerReceived", worker: "agent-1" },
    { kind: "QuestionsWithdrawn", worker: "agent-1", reason: "over" },
  ] as const)
    expect(reduceWorkers(waiting, end)["agent-1"]?.awaitedQuestion).toBeNull();
});

test("withdrawing a decision clears its contradictions; those with another stay", () => {
  const contradicts = (decision: string) => agent("x", { conflict: { kind: "decision", decision } });
  const bound: Workers = {
    one: { ...contradicts("d"), name: "one" },
    two: { ...contradicts("e"), name: "two" },
  };
  const after = reduceWorkers(bound, { kind: "DecisionsWithdrawn", decisions: ["d"] });
  expect(after.one).toMatchObject({ conflict: null });
  expect(after.two).toBe(bound.two);
});

test("a worker joins once, and an unknown one changes nothing", () => {
  const record = { name: "agent-1", role: "agent", parent: null, title: "Another" } as const;
  expect(reduceWorkers(workers, { kind: "WorkerJoined", worker: "agent-1", record })).toBe(workers);
  expect(reduceWorkers(workers, { kind: "WorkReset", worker: "toString" })).toBe(workers);
  expect(Object.keys(reduceWorkers(workers, { kind: "WorkerJoined", worker: "agent-0", record }))).toEqual([
    "agent-1",
    "agent-2",
    "agent-0",
  ]);
});

const fresh = newWorker({ name: "agent-1", role: "agent", parent: "O-A-1", title: "Write it", task: "a" });
type AnyWorkerEvent = WorkerEvent extends infer Event
  ? Event extends WorkerEvent
    ? Omit<Event, "worker">
    : never
  : never;
const play = (events: readonly AnyWorkerEvent[], from: WorkerRecord = fresh): WorkerRecord =>
  events.reduce(
    (worker, event) => reduceWorker(worker, { ...event, worker: "agent-1" } as WorkerEvent),
    from,
  );
const iteration = (
  hasProgressed: boolean,
  more: Partial<Extract<AnyWorkerEvent, { kind: "IterationEnded" }>> = {},
): AnyWorkerEvent => ({
  kind: "IterationEnded",
  iteration: 1,
  status: "in_progress",
  checks: [],
  contradicts: null,
  hasConflict: false,
  hasProgressed,
  stalledAfter: 3,
  at: 7,
  ...more,
});

describe("iterations", () => {
  test("a stall is reported once, and progress resets that", () => {
    let worker = fresh;
    const afterwards = (...progress: readonly boolean[]) => {
      worker = play(
        progress.map((one) => iteration(one)),
        worker,
      );
      return [worker.stall?.kind ?? null, worker.stallCount, worker.idleIterations];
    };
    expect(afterwards(true, false, false)).toEqual([null, 0, 2]);
    expect(afterwards(false)).toEqual(["stalled", 1, 3]);
    expect(worker.stall).toEqual({ kind: "stalled", since: 7, isAnswered: false });
    expect(afterwards(false, false, false, false)).toEqual(["stalled", 1, 7]);
    expect(afterwards(true)).toEqual([null, 1, 0]);
    expect(afterwards(false, false, false)).toEqual(["stalled", 2, 3]);
  });

  test("an iteration without checks keeps those of the last; each round is kept", () => {
    const failed = {
      name: "c",
      command: "sh check.sh",
      speed: "fast",
      outcome: "failed",
      ms: 1,
      output: "",
    } as const;
    const worker = play([iteration(true, { checks: [failed] }), iteration(true)]);
    expect(worker.checks).toEqual([failed]);
    expect(worker.checkRounds.map(({ results }) => results.length)).toEqual([1, 0]);
  });

  test("a contradiction outlives a resolved conflict, and its end leaves none", () => {
    const found = play([
      { kind: "MergeConflictFound", cause: null },
      { kind: "ContradictionFound", decision: "d" },
    ]);
    expect(found).toMatchObject({ conflict: { kind: "decision", decision: "d" }, status: "in_progress" });
    expect(play([{ kind: "MergeConflictResolved" }, { kind: "MergeConflictFound" }], found)).toBe(found);
    expect(play([iteration(true)], found)).toMatchObject({ conflict: null });
  });
});

describe("messages", () => {
  test("a message is read once, until its work restarts", () => {
    const read = play([
      { kind: "MessagesHandled", messages: ["m", "n", "m"] },
      { kind: "MessagesHandled", messages: ["n"] },
    ]);
    expect(read.handled).toEqual(["m", "n"]);
    expect(play([{ kind: "MessagesHandled", messages: ["m"] }], read)).toBe(read);
    expect(play([{ kind: "MessagesDeliveredAgain" }], read).handled).toEqual([]);
  });

  test("the first delivery of a message is kept, until its work restarts", () => {
    const replayed = play([
      { kind: "MessagesDelivered", messages: ["m"], at: 5 },
      { kind: "MessagesDelivered", messages: ["m", "n"], at: 9 },
    ]);
    expect(replayed.delivered).toEqual({ m: 5, n: 9 });
    expect(play([{ kind: "MessagesDelivered", messages: ["n"], at: 12 }], replayed)).toBe(replayed);
    const anew = play([{ kind: "MessagesDeliveredAgain" }], replayed);
    expect(anew.delivered).toEqual({});
    expect(play([{ kind: "MessagesDeliveredAgain" }], anew)).toBe(anew);
  });

  test("only the last remarks are kept", () => {
    const texts = Array.from({ length: 30 }, (_, index) => `remark ${index}`);
    const { remarks } = play(texts.map((text) => ({ kind: "NoteTaken", text })));
    expect(remarks).toEqual(texts.slice(-20));
  });
});

describe("steering", () => {
  test("a taken-over task is held, and only the user releases it", () => {
    const taken = play([{ kind: "TakenOver", since: 5, commit: "c" }]);
    expect(taken).toMatchObject({
      control: { kind: "user", since: 5, commit: "c" },
      status: "in_progress",
    });
    expect(play([{ kind: "WorkerResumed" }], taken)).toBe(taken);
    // Taken over twice, it is as it was taken over first.
    expect(play([{ kind: "TakenOver", since: 9, commit: "e" }], taken)).toBe(taken);
    expect(play([{ kind: "HandedBack", notes: [] }, { kind: "WorkerResumed" }], taken)).toMatchObject({
      control: { kind: "worker" },
    });
  });

  test("a status requested while an earlier one is executed is still handled", () => {
    const events = play([
      { kind: "StatusRequested", status: "blocked" },
      { kind: "StatusRequested", status: "abandoned" },
      { kind: "StatusHeardOut", nth: 1 },
    ]);
    expect(events.requestedStatus).toEqual({ status: "abandoned", nth: 2 });
    expect(play([{ kind: "StatusHeardOut", nth: 2 }], events).requestedStatus).toBeNull();
    expect(play([{ kind: "TaskReassigned", to: "agent-2" }], events).requestedStatus).toBeNull();
  });

  test("a reassigned worker never works again, whatever events follow", () => {
    const gone = play([
      { kind: "TakenOver", since: 5, commit: "c" },
      { kind: "TaskReassigned", to: "agent-2" },
    ]);
    expect(gone).toMatchObject({
      status: "abandoned",
      task: null,
      changeId: null,
      control: { kind: "reassigned", to: "agent-2" },
    });
    expect(
      play([iteration(true, { status: "review" }), { kind: "WorkStarted" }, { kind: "WorkerPaused" }], gone),
    ).toBe(gone);
  });

  test("its own limit replaces what was granted before", () => {
    const granted = play([{ kind: "IterationsGranted" }, { kind: "IterationsGranted" }]);
    expect(granted.grants).toBe(2);
    expect(play([{ kind: "WorkerIterationsSet", maxIterations: 9 }], granted)).toMatchObject({
      grants: 0,
      maxIterations: 9,
    });
  });
});

test("a parent's answer to an earlier silence does not affect the present one", () => {
  const twice = play([
    { kind: "SilenceBegan", at: 1 },
    { kind: "SilenceEnded" },
    { kind: "SilenceBegan", at: 2 },
  ]);
  expect(twice.stallCount).toBe(2);
  expect(play([{ kind: "SilenceReported", nth: 1 }], twice)).toBe(twice);
  expect(play([{ kind: "SilenceReported", nth: 2 }], twice).stall?.isAnswered).toBe(true);
});

test("updates of the trunk are delivered once, in order", () => {
  const took = { tip: "t", place: "trunk" } as const;
  const worker = play([
    { kind: "TrunkSynced", took, updates: ["a", "b"] },
    { kind: "TrunkUpdatesDelivered", count: 1 },
    { kind: "TrunkSynced", took: { ...took, tip: "u" }, updates: ["c"] },
  ]);
  expect(worker.trunkSync).toEqual({ tip: "u", place: "trunk", updates: ["b", "c"] });
});

const rules = { review: "parent", firstReviewer: false, maxRounds: 2 } as const;
const text = fc.constantFrom("c1", "c2");
const anyEvent: fc.Arbitrary<AnyWorkerEvent> = fc.oneof(
  fc.record({ kind: fc.constant("ChangeAssigned" as const), changeId: text }),
  fc.record({ kind: fc.constant("WorkspaceOpened" as const), folder: text }),
  fc.record({
    kind: fc.constant("IterationEnded" as const),
    iteration: fc.nat(9),
    status: fc.constantFrom("in_progress" as const, "review" as const, "blocked" as const),
    checks: fc.constant([]),
    contradicts: fc.option(text),
    hasConflict: fc.boolean(),
    hasProgressed: fc.boolean(),
    stalledAfter: fc.integer({ min: 1, max: 3 }),
    at: fc.nat(),
  }),
  fc.record({ kind: fc.constant("MergeConflictFound" as const), cause: fc.constant(null) }),
  fc.record({ kind: fc.constant("ContradictionFound" as const), decision: text }),
  fc.record({ kind: fc.constant("WorkUndone" as const), hasConflict: fc.boolean() }),
  fc.record({ kind: fc.constant("TakenOver" as const), since: fc.nat(), commit: text }),
  fc.record({ kind: fc.constant("TakeoverRebased" as const), commit: text }),
  fc.record({ kind: fc.constant("HandedBack" as const), notes: fc.constant([]) }),
  fc.record({ kind: fc.constant("FinishedByHand" as const), summary: text }),
  fc.record({ kind: fc.constant("TaskReassigned" as const), to: fc.constant("agent-2") }),
  fc.record({
    kind: fc.constant("WorkerStuck" as const),
    cause: fc.constantFrom("blocked" as const, "iterations" as const),
    reason: text,
  }),
  fc.record({ kind: fc.constant("WorkerUnstuck" as const), helped: fc.nat(3) }),
  fc.record({ kind: fc.constant("SilenceBegan" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("SilenceReported" as const), nth: fc.nat(3) }),
  fc.record({
    kind: fc.constant("MergeRequestAdvanced" as const),
    event: fc.oneof(
      fc.constant({ kind: "Offered" as const, commit: "c", summary: "s" }),
      fc.constant({ kind: "Reopened" as const }),
      fc.constant({ kind: "Withdrawn" as const }),
      fc.record({ kind: fc.constant("Checked" as const), round: fc.nat(2), checks: fc.constant([]) }),
      fc.record({
        kind: fc.constant("Merged" as const),
        round: fc.nat(2),
        place: fc.constant("trunk" as const),
      }),
    ),
    rules: fc.constant(rules),
    checks: fc.constant(null),
  }),
  fc
    .constantFrom(
      "WorkerPaused" as const,
      "WorkerResumed" as const,
      "MergeConflictResolved" as const,
      "SilenceEnded" as const,
      "WorkStarted" as const,
      "WorkReopened" as const,
      "WorkReset" as const,
      "WorkBlocked" as const,
      "WorkAbandoned" as const,
      "WorkspaceRemoved" as const,
      "IterationsGranted" as const,
      "WorkerBudgetStopped" as const,
    )
    .map((kind) => ({ kind })),
);

describe("in any order of events", () => {
  const always = (holds: (after: WorkerRecord, before: WorkerRecord) => void) =>
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        let before = fresh;
        for (const event of events) {
          const after = play([event], before);
          holds(after, before);
          before = after;
        }
      }),
    );

  test("a worker whose task was reassigned has neither task nor folder and stays so", () =>
    always((after, before) => {
      if (before.control.kind === "reassigned")
        expect(after).toMatchObject({
          status: "abandoned",
          task: null,
          folder: null,
          control: before.control,
          blocked: null,
        });
    }));

  test("counters never fall, and identify the present occurrence", () =>
    always((after, before) => {
      expect(after.stallCount).toBeGreaterThanOrEqual(before.stallCount);
      expect(after.blockCount).toBeGreaterThanOrEqual(before.blockCount);
      if (after.blocked !== null) expect(after.blocked.nth).toBe(after.blockCount);
      expect((after.mergeRequest ?? noMergeRequest).round).toBeGreaterThanOrEqual(
        (before.mergeRequest ?? noMergeRequest).round,
      );
    }));

  test("its name, role and parent stay, and an event about another changes nothing", () =>
    always((after, before) => {
      expect([after.name, after.role, after.parent]).toEqual([before.name, before.role, before.parent]);
      expect(reduceWorker(after, { kind: "WorkReset", worker: "agent-9" })).toBe(after);
    }));
});

test("a turn with the user's login counts from its begin, and its time from its end", () => {
  const after = (...events: readonly WorkerEvent[]) =>
    events.reduce(reduceWorkers, workers)["agent-1"]?.unmetered;
  const began: WorkerEvent = { kind: "UnmeteredTurnBegan", worker: "agent-1", at: 5_000 };
  const ended: WorkerEvent = { kind: "UnmeteredTurnEnded", worker: "agent-1", ms: 3 };
  expect(after(began)).toMatchObject({ turns: 1, ms: 0, openSince: 5_000 });
  expect(after(began, ended)).toMatchObject({ turns: 1, ms: 3, openSince: null });
  expect(after(began, ended, began)).toMatchObject({ turns: 2, ms: 3 });
  // What its agent waits for the user is not part of it.
  const paused: WorkerEvent = { kind: "UnmeteredTurnPaused", worker: "agent-1", at: 7_000 };
  const resumed: WorkerEvent = { kind: "UnmeteredTurnResumed", worker: "agent-1", at: 9_000 };
  expect(after(began, paused)).toMatchObject({ openSince: 5_000, pausedAt: 7_000 });
  expect(after(began, paused, resumed, resumed)).toMatchObject({ openSince: 7_000, pausedAt: null });
  expect(after(began, paused, ended, began)).toMatchObject({ openSince: 5_000, pausedAt: null });
});
