import fc from "fast-check";
import { expect, test } from "vitest";
import { paceAt, tempos } from "./tempo.ts";
import { hasNewEvent, passingStep, type TourFacts, tourOf, tourSteps } from "./tour.ts";

const begun: TourFacts = {
  rehearsal: "profiles",
  isPaused: false,
  pausedFor: null,
  isPlanApproved: false,
  isOver: false,
  isLanded: false,
  cards: [],
  workers: [],
  seats: 0,
  verdict: null,
  attempts: [],
  hasAcceptedSuggestion: false,
  timeline: null,
};

test("each moment of a rehearsal has a step, with what to try and where", () => {
  const at = (more: Partial<TourFacts>) => tourOf({ ...begun, ...more });
  expect(at({})).toMatchObject({ current: "plan", next: null, place: null, done: [] });
  expect(at({ cards: [{ id: "p", kind: "plan" }] })).toMatchObject({
    current: "plan",
    place: { kind: "card", id: "p" },
  });
  const works = { name: "agent-1", isAgent: true, changeId: "k", isAtWork: true, isInConflict: false };
  expect(at({ isPlanApproved: true, workers: [works] })).toMatchObject({
    current: "lanes",
    place: { kind: "change", changeId: "k" },
    done: ["plan"],
  });
  expect(
    at({ isPlanApproved: true, workers: [works], cards: [{ id: "q", kind: "align-request" }] }),
  ).toMatchObject({ current: "question", place: { kind: "card", id: "q" } });
  expect(at({ isPlanApproved: true, workers: [{ ...works, isInConflict: true }] })).toMatchObject({
    current: "conflict",
    place: { kind: "change", changeId: "k" },
  });
  expect(at({ isPlanApproved: true, seats: 4 })).toMatchObject({ current: "votes" });
  expect(at({ isPlanApproved: true, isOver: true, isLanded: true, verdict: "approved" })).toMatchObject({
    current: "end",
    place: { kind: "report" },
    done: expect.arrayContaining(["votes", "pattern", "landing"]),
  });
});

test("a step names only existing cards, changes and seats", () => {
  const card = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    kind: fc.constantFrom("plan", "align-request", "mutation", "pattern", "land", "trouble", "constructor"),
  });
  const worker = fc.record({
    name: fc.constantFrom("agent-1", "O-A-1"),
    isAgent: fc.boolean(),
    changeId: fc.option(fc.constantFrom("k", "l")),
    isAtWork: fc.boolean(),
    isInConflict: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.record({
        isPlanApproved: fc.boolean(),
        isOver: fc.boolean(),
        isLanded: fc.boolean(),
        cards: fc.array(card, { maxLength: 4 }),
        workers: fc.array(worker, { maxLength: 4 }),
        rehearsal: fc.constantFrom("profiles", "receipts", "tides", "constructor"),
        isPaused: fc.boolean(),
        pausedFor: fc.constantFrom("votes", "conflict", null),
        seats: fc.nat({ max: 4 }),
        verdict: fc.option(fc.constant("approved")),
        attempts: fc.array(fc.record({ isForked: fc.boolean(), isChosen: fc.boolean() }), { maxLength: 2 }),
        hasAcceptedSuggestion: fc.boolean(),
        timeline: fc.constant(null),
      }),
      (facts) => {
        const tour = tourOf(facts);
        const { place } = tour;
        if (place?.kind === "card") expect(facts.cards.map(({ id }) => id)).toContain(place.id);
        if (place?.kind === "change")
          expect(facts.workers.map(({ changeId }) => changeId)).toContain(place.changeId);
        if (place?.kind === "votes") expect(facts.seats).toBeGreaterThan(0);
        if (place?.kind === "report") expect(facts.isOver).toBe(true);
        if (tour.next !== null) expect(place).not.toBeNull();
        expect(tour.done).not.toContain(tour.current);
        if (facts.isPaused) expect(tour.paused).not.toBeNull();
      },
    ),
  );
});

test("an event is a new one to look at, and not one that is gone", () => {
  const planned: TourFacts = { ...begun, cards: [{ id: "p", kind: "plan" }] };
  const approved: TourFacts = { ...begun, isPlanApproved: true };
  expect(hasNewEvent(planned, approved), "the plan's card went").toBe(false);
  const works = { name: "agent-1", isAgent: true, changeId: "k", isAtWork: true, isInConflict: false };
  expect(hasNewEvent(approved, { ...approved, workers: [works] })).toBe(false);
  expect(hasNewEvent(approved, { ...approved, cards: [{ id: "q", kind: "align-request" }] })).toBe(true);
  expect(hasNewEvent(approved, { ...approved, workers: [{ ...works, isInConflict: true }] })).toBe(true);
  expect(hasNewEvent(approved, { ...approved, seats: 4 })).toBe(true);
  expect(hasNewEvent(approved, { ...approved, seats: 4, verdict: "approved" })).toBe(true);
  expect(hasNewEvent(planned, planned)).toBe(false);
});

test("says that it is paused and what continues it", () => {
  const card = { id: "q", kind: "align-request" };
  const at = (more: Partial<TourFacts>) => tourOf({ ...begun, isPlanApproved: true, ...more }).paused;
  expect(at({})).toBeNull();
  expect(at({ isPaused: true, cards: [card] })).toMatch(/continues when you answer/u);
  expect(at({ isPaused: true })).toMatch(/Continue/u);
});

test("a conflict and a verdict pass too quickly to be seen", () => {
  const works = { name: "agent-1", isAgent: true, changeId: "k", isAtWork: true, isInConflict: false };
  const working: TourFacts = { ...begun, isPlanApproved: true, workers: [works] };
  const inConflict: TourFacts = { ...working, workers: [{ ...works, isInConflict: true }] };
  const voting: TourFacts = { ...working, seats: 4 };
  expect(passingStep(working, inConflict)).toBe("conflict");
  expect(passingStep(inConflict, inConflict)).toBeNull();
  expect(passingStep(working, voting), "votes are still to come").toBeNull();
  expect(passingStep(voting, { ...voting, verdict: "approved" })).toBe("votes");
  expect(passingStep(working, { ...working, cards: [{ id: "q", kind: "align-request" }] })).toBeNull();
});

test("the verdict stays current until the user could read it", () => {
  const judged: TourFacts = { ...begun, isPlanApproved: true, seats: 4, verdict: "approved" };
  expect(tourOf(judged)).toMatchObject({ current: "votes", place: { kind: "votes" } });
  expect(tourOf(judged).done).not.toContain("votes");
  const learns = { ...judged, cards: [{ id: "p", kind: "pattern" }] };
  expect(tourOf(learns)).toMatchObject({ current: "pattern", done: expect.arrayContaining(["votes"]) });
});

test("each rehearsal has its promised events as steps, and claims none that did not happen", () => {
  const idsOf = (rehearsal: string) => tourSteps(rehearsal).map(({ id }) => id);
  expect(idsOf("profiles")).toEqual(expect.arrayContaining(["question", "decision", "conflict"]));
  expect(idsOf("receipts")).toEqual(expect.arrayContaining(["fork", "choice", "suggestion"]));
  expect(idsOf("tides")).toEqual(expect.arrayContaining(["question", "message"]));
  const over: TourFacts = {
    ...begun,
    rehearsal: "receipts",
    isPlanApproved: true,
    isOver: true,
    isLanded: true,
  };
  expect(tourOf(over).says).not.toMatch(/decision|conflict|attempts/u);
  expect(tourOf(over).done).not.toEqual(expect.arrayContaining(["fork"]));
  expect(tourOf(over).done).not.toEqual(expect.arrayContaining(["choice"]));
  const forked = { ...over, attempts: [{ isForked: true, isChosen: true }] };
  expect(tourOf(forked).says).toContain("both attempts");
  expect(tourOf(forked).done).toEqual(expect.arrayContaining(["fork", "choice"]));
});

test("suggests a fork while the agent's question waits, and after it as long as the agent works", () => {
  const agent = { name: "agent-1", isAgent: true, changeId: "k", isAtWork: false, isInConflict: false };
  const question = { id: "m", kind: "question", from: "agent-1", to: "O-A-1", text: "?", at: 1 } as const;
  const timeline = { tracks: [], decisions: [], messages: [{ ...question, settledAt: null }] };
  const asked: TourFacts = {
    ...{ ...begun, rehearsal: "receipts", isPlanApproved: true, workers: [agent], timeline },
    cards: [{ id: "q", kind: "align-request" }],
  };
  const place = { kind: "conversation", changeId: "k", worker: "agent-1" };
  expect(tourOf(asked)).toMatchObject({ current: "fork", place });
  expect(tourOf({ ...asked, rehearsal: "tides" })).toMatchObject({ current: "question" });
  const answered = { ...asked, cards: [], workers: [{ ...agent, isAtWork: true }] };
  expect(tourOf(answered)).toMatchObject({ current: "fork", place });
  expect(tourOf({ ...answered, workers: [agent] }).current, "it works no more").toBe("lanes");
  const forked = { ...asked, attempts: [{ isForked: true, isChosen: false }] };
  expect(tourOf(forked)).toMatchObject({ current: "question", place: { kind: "card", id: "q" } });
});

test("a tempo changes the pace, and held ones show what comes next at the usual one", () => {
  expect(tempos.map((tempo) => paceAt(tempo, 60))).toEqual([60, 180, 60, 0]);
});

test("a new card while the tour waits at the votes leaves the user there", () => {
  const judged: TourFacts = {
    ...{
      ...begun,
      isPlanApproved: true,
      seats: 4,
      verdict: "approved",
      cards: [{ id: "p", kind: "pattern" }],
    },
    ...{ isPaused: true, pausedFor: "votes" },
  };
  expect(tourOf(judged)).toMatchObject({
    current: "votes",
    paused: expect.stringContaining("so that you can look"),
  });
  expect(tourOf({ ...judged, isPaused: false }).current).toBe("pattern");
});
