import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import { archangelWakes, nothingDelivered } from "./archangel.ts";
import {
  type ArchangelEvent,
  reduceArchangels as reduceOwn,
  reviewOf,
  wakeArchangels,
} from "./archangel-events.ts";
import {
  type ArchangelsOfRun,
  type CommentRecord,
  deliveryTo,
  dueReview,
  newReplies,
  noArchangels,
  noStatements,
} from "./archangel-records.ts";

/** As `reduceRun` does for an event that changed something. */
const reduceArchangels = (before: ArchangelsOfRun, event: RunEvent): ArchangelsOfRun =>
  wakeArchangels(reduceOwn(before, event), event);

const comment = (id: string, archangel = "a"): CommentRecord => ({
  id,
  archangel,
  worker: "agent-1",
  changeId: "x",
  commit: "c",
  path: "f",
  line: 3,
  lineText: "words",
  text: "t",
  relation: "risk",
  step: null,
  at: 1,
  isResolved: false,
  isOutdated: false,
  sentTo: null,
  replies: [],
  seenReplies: 0,
  placedIn: "c",
});

const name = fc.constantFrom("a", "b", "toString");
const who = fc.constantFrom("agent-1", "agent-2", "constructor");
/** As far as they are read. */
const waking = fc.oneof(
  fc.record({ kind: fc.constant("IterationEnded" as const), worker: who, hasProgressed: fc.boolean() }),
  fc.record({
    kind: fc.constant("MergeRequestAdvanced" as const),
    worker: who,
    event: fc.record({ kind: fc.constantFrom("Offered", "Merged") }),
  }),
  fc.record({
    kind: fc.constantFrom("PlanApproved" as const, "PlanRevised" as const, "AmendmentFinished" as const),
    orchestrator: who,
  }),
  fc.record({
    kind: fc.constant("DecisionApplied" as const),
    decision: fc.record({ orchestrator: who }),
  }),
  fc.record({ kind: fc.constant("OutsideTurnEnded" as const), session: who }),
) as fc.Arbitrary<unknown> as fc.Arbitrary<RunEvent>;
const key = fc.constantFrom("review/1", "review/2");
const beginning = (archangel: string, of: string): Extract<ArchangelEvent, { kind: "ReviewStarted" }> => ({
  kind: "ReviewStarted",
  archangel,
  key: of,
  delivered: { upTo: 1, planHash: null, todosHash: null, seen: {}, heard: {} },
  work: [{ who: "agent-1", commit: "c", files: ["f"] }],
});
const saying = (archangel: string, of: string, callId: string): ArchangelEvent => ({
  kind: "ReviewOutputReceived",
  archangel,
  key: of,
  callId,
  output: `Kept as ${callId}.`,
  statements: { comments: [comment(`${archangel}-${callId}`, archangel)], replies: { [callId]: "Because." } },
});
const idleSeen = { kind: "IdleSeen", orchestrator: "O-A-1" } as const;
const own: fc.Arbitrary<ArchangelEvent> = fc.oneof(
  fc.tuple(name, key).map(([archangel, of]) => beginning(archangel, of)),
  fc
    .tuple(name, key, fc.constantFrom("1", "2", "toString"))
    .map(([archangel, of, callId]) => saying(archangel, of, callId)),
  fc.record({ kind: fc.constant("PhaseEndSeen" as const), orchestrator: who, phase: fc.nat(3) }),
  fc.constant(idleSeen),
  fc.record({
    kind: fc.constant("ArchangelPassed" as const),
    archangel: name,
    offset: fc.nat(30),
    seen: fc.dictionary(who, fc.constantFrom("c1", "c2")),
  }),
  fc.record({
    kind: fc.constant("CommentReplied" as const),
    comment: fc.constantFrom("a-1", "b-1"),
    by: fc.constantFrom("you", "a"),
    text: fc.string(),
    at: fc.nat(),
  }),
  fc.record({
    kind: fc.constant("CommentResolved" as const),
    comment: fc.constantFrom("a-1", "b-1"),
    isResolved: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("CommentsPlaced" as const),
    commit: fc.constantFrom("c", "d"),
    lines: fc.dictionary(fc.constantFrom("a-1", "b-1"), fc.option(fc.integer({ min: 1, max: 9 }))),
  }),
  fc.record({
    kind: fc.constant("SuggestionDecided" as const),
    suggestion: fc.constantFrom("a-task-1", "b-task-1"),
    as: fc.constantFrom("task" as const, "message" as const, "idea" as const, "refused" as const),
  }),
);

/** As the engine makes one: what it told, and what the archangel said to it. */
const answer = (state: ArchangelsOfRun, archangel: string, at: number): ArchangelEvent => ({
  kind: "ArchangelAnswered",
  archangel,
  delivery: {
    initialized: true,
    planHash: "p",
    todosHash: "t",
    parentContextOffset: state.moments,
    lastAnalysisAt: at,
  },
  seen: { "agent-1": `c${at}` },
  comments: [comment(`${archangel}-1`, archangel)],
  suggestions: [
    {
      id: `${archangel}-task-1`,
      agent: archangel,
      session: null,
      suggestion: "s",
      context: "c",
      priority: "medium",
      files: [],
      at,
      state: "open",
    },
  ],
  replies: {},
  heard: Object.fromEntries(
    state.comments
      .filter((one) => one.archangel === archangel)
      .map(({ id, replies }) => [id, replies.length]),
  ),
  at,
});

test("in any order of events an answer covers what was delivered, others' facts stay, and no decision is undone", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(waking, own, fc.record({ answers: name })), { maxLength: 40 }),
      (events) => {
        let state = noArchangels;
        for (const [at, event] of events.entries()) {
          const before = state;
          const one = "answers" in event ? answer(state, event.answers, at + 1) : event;
          state = reduceArchangels(state, one);
          // Moments are never fewer, and each kind stands once for each of those that it is about.
          expect(state.moments).toBeGreaterThanOrEqual(before.moments);
          expect(new Set(state.last.map(({ wake, who: of }) => `${wake} ${of}`)).size).toBe(
            state.last.length,
          );
          expect(state.last.every(({ nth }) => nth >= 1 && nth <= state.moments)).toBe(true);
          for (const [other, delivered] of Object.entries(before.delivered))
            if (!("archangel" in one) || one.archangel !== other)
              expect(state.delivered[other]).toBe(delivered);
          if ("answers" in event) {
            const everyWake = { name: event.answers, isOn: true, wakes: archangelWakes };
            expect(dueReview(state, everyWake)).toBe(null);
            expect(reviewOf(state, event.answers)).toBe(null);
          }
          // A call that runs again says nothing twice, and nothing is said in a review that is over.
          if (one.kind === "ReviewStarted" || one.kind === "ReviewOutputReceived")
            expect(reduceArchangels(state, one)).toBe(state);
          if (one.kind === "ReviewOutputReceived" && reviewOf(before, one.archangel)?.key !== one.key)
            expect(state).toBe(before);
          for (const suggestion of before.suggestions)
            if (suggestion.state !== "open")
              expect(state.suggestions.find(({ id }) => id === suggestion.id)?.state).toBe(suggestion.state);
          expect(new Set(state.comments.map(({ id }) => id)).size).toBe(state.comments.length);
        }
      },
    ),
  );
});

const run = (...events: readonly RunEvent[]): ArchangelsOfRun =>
  events.reduce(reduceArchangels, noArchangels);
const saved = (worker: string, hasProgressed = true) =>
  ({ kind: "IterationEnded", worker, hasProgressed }) as unknown as RunEvent;
const angel = { name: "a", isOn: true, wakes: ["iteration_saved"] } as const;

test("events during a review cause one more, with only those that wake it", () => {
  const begun = run(saved("agent-1"));
  expect(dueReview(begun, angel)).toMatchObject({ upTo: 1, moments: [{ who: "agent-1", nth: 1 }] });
  const meanwhile = [saved("agent-1"), saved("agent-2"), saved("agent-1")].reduce(reduceArchangels, begun);
  const answered = reduceArchangels(meanwhile, answer(begun, "a", 5));
  expect(dueReview(answered, angel)).toMatchObject({
    upTo: 4,
    moments: [
      { who: "agent-2", nth: 3 },
      { who: "agent-1", nth: 4 },
    ],
  });
  expect(dueReview(answered, { ...angel, isOn: false })).toBe(null);
  expect(dueReview(answered, { ...angel, wakes: ["plan_changed"] })).toBe(null);
  expect(dueReview(run(saved("agent-1", false)), angel)).toBe(null);
  // Each archangel has its own place.
  expect(dueReview(answered, { ...angel, name: "b" })?.moments).toHaveLength(2);
  expect(deliveryTo(answered, "b")).toEqual(nothingDelivered);
});

test("a reply to a comment wakes its archangel once, and its own reply does not", () => {
  const state = run(saved("agent-1"), answer(run(saved("agent-1")), "a", 1));
  const reply = (by: string): ArchangelEvent => ({
    kind: "CommentReplied",
    comment: "a-1",
    by,
    text: "Why?",
    at: 2,
  });
  const replied = reduceArchangels(state, reply("you"));
  const due = dueReview(replied, { ...angel, wakes: ["idle"] });
  expect(due?.replied.map(({ id }) => id)).toEqual(["a-1"]);
  expect(dueReview(replied, { ...angel, name: "b", wakes: ["idle"] })).toBe(null);
  const heard = reduceArchangels(replied, {
    ...(answer(replied, "a", 3) as Extract<ArchangelEvent, { kind: "ArchangelAnswered" }>),
    replies: { "a-1": "Because." },
  });
  expect(dueReview(heard, angel)).toBe(null);
  expect(heard.comments[0]?.replies.map(({ by }) => by)).toEqual(["you", "a"]);
  expect(newReplies(reduceArchangels(heard, reply("you")).comments[0] ?? comment("x"))).toHaveLength(1);
});

test("idle happens once without changes, and a phase ends once", () => {
  expect(run(idleSeen, idleSeen).moments).toBe(1);
  expect(run(idleSeen, saved("agent-1"), idleSeen).moments).toBe(3);
  const end = (phase: number): ArchangelEvent => ({ kind: "PhaseEndSeen", orchestrator: "O-A-1", phase });
  expect(run(end(1), end(1), end(2), end(1)).moments).toBe(2);
});

test("an open review's comments are kept, once for each call, and published when its model has answered", () => {
  const open = run(saved("agent-1"), beginning("a", "review/1"), saying("a", "review/1", "1"));
  const again = [beginning("a", "review/1"), saying("a", "review/1", "1")].reduce(reduceArchangels, open);
  expect(again).toBe(open);
  const more = reduceArchangels(again, saying("a", "review/1", "2"));
  expect(reviewOf(more, "a")).toMatchObject({
    statements: { comments: [{ id: "a-1" }, { id: "a-2" }], replies: { 1: "Because.", 2: "Because." } },
    calls: { 1: "Kept as 1.", 2: "Kept as 2." },
  });
  expect(more.comments).toEqual([]);
  expect(reviewOf(more, "b")).toBe(null);
  // Another one takes its place.
  expect(reviewOf(reduceArchangels(more, beginning("a", "review/2")), "a")).toMatchObject({
    key: "review/2",
    statements: noStatements,
    calls: {},
  });
});

test("a review with a spent budget keeps its state and published comments: resumed, it adds only new ones", () => {
  const spent = run(saved("agent-1"), beginning("a", "review/1"), saying("a", "review/1", "1"), {
    ...(answer(noArchangels, "a", 1) as Extract<ArchangelEvent, { kind: "ArchangelAnswered" }>),
    delivery: nothingDelivered,
    comments: [comment("a-1")],
  });
  expect(spent.comments.map(({ id }) => id)).toEqual(["a-1"]);
  expect(reviewOf(spent, "a")).toMatchObject({ key: "review/1", statements: noStatements });
  expect(reduceArchangels(spent, saying("a", "review/1", "1"))).toBe(spent);
  expect(
    reviewOf(reduceArchangels(spent, { kind: "ArchangelPassed", archangel: "a", offset: 1, seen: {} }), "a"),
  ).toBe(null);
});
