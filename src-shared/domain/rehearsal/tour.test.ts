import fc from "fast-check";
import { expect, test } from "vitest";
import { paceAt, tempos } from "./tempo.ts";
import { hasNewEvent, type TourFacts, tourOf, tourSteps } from "./tour.ts";

const begun: TourFacts = {
  isPlanApproved: false,
  isOver: false,
  isLanded: false,
  cards: [],
  workers: [],
  hasSeats: false,
  verdict: null,
  timeline: null,
};

test("each moment of a rehearsal is said, with what to try and where", () => {
  const at = (more: Partial<TourFacts>) => tourOf({ ...begun, ...more });
  expect(at({})).toMatchObject({ current: "plan", next: null, place: null, done: [] });
  expect(at({ cards: [{ id: "p", kind: "plan" }] })).toMatchObject({
    current: "plan",
    place: { kind: "card", id: "p" },
  });
  const works = { changeId: "k", isAtWork: true, isInConflict: false };
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
  expect(at({ isPlanApproved: true, hasSeats: true })).toMatchObject({ current: "votes" });
  expect(at({ isPlanApproved: true, isOver: true, isLanded: true, verdict: "approved" })).toMatchObject({
    current: "end",
    place: { kind: "report" },
    done: expect.arrayContaining(["votes", "pattern", "landing"]),
  });
});

test("what it names is there: no card, no change and no seats that the run does not have", () => {
  const card = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    kind: fc.constantFrom("plan", "align-request", "mutation", "pattern", "land", "trouble", "constructor"),
  });
  const worker = fc.record({
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
        hasSeats: fc.boolean(),
        verdict: fc.option(fc.constant("approved")),
        timeline: fc.constant(null),
      }),
      (facts) => {
        const tour = tourOf(facts);
        const place = tour?.place;
        if (place?.kind === "card") expect(facts.cards.map(({ id }) => id)).toContain(place.id);
        if (place?.kind === "change")
          expect(facts.workers.map(({ changeId }) => changeId)).toContain(place.changeId);
        if (place?.kind === "votes") expect(facts.hasSeats).toBe(true);
        if (place?.kind === "report") expect(facts.isOver).toBe(true);
        if (tour?.next !== null) expect(place).not.toBeNull();
        expect(tourSteps.map(({ id }) => id)).toContain(tour?.current);
      },
    ),
  );
});

test("an event is what has come to be looked at, and not what has gone", () => {
  const planned: TourFacts = { ...begun, cards: [{ id: "p", kind: "plan" }] };
  const approved: TourFacts = { ...begun, isPlanApproved: true };
  expect(hasNewEvent(planned, approved), "the plan's card went").toBe(false);
  const works = { changeId: "k", isAtWork: true, isInConflict: false };
  expect(hasNewEvent(approved, { ...approved, workers: [works] })).toBe(false);
  expect(hasNewEvent(approved, { ...approved, cards: [{ id: "q", kind: "align-request" }] })).toBe(true);
  expect(hasNewEvent(approved, { ...approved, workers: [{ ...works, isInConflict: true }] })).toBe(true);
  expect(hasNewEvent(approved, { ...approved, hasSeats: true })).toBe(true);
  expect(hasNewEvent(approved, { ...approved, hasSeats: true, verdict: "approved" })).toBe(true);
  expect(hasNewEvent(planned, planned)).toBe(false);
});

test("a tempo changes the pace, and held ones say what is on its way at the usual one", () => {
  expect(tempos.map((tempo) => paceAt(tempo, 60))).toEqual([60, 180, 60, 0]);
});
