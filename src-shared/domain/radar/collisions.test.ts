import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CollisionEvent,
  type Collisions,
  formatOrder,
  formatWait,
  openWaits,
  reduceCollisions,
  unreportedTo,
  waitOf,
  waitsInCircle,
} from "./collisions.ts";

const place = (path: string) => ({ path, lines: { from: 3, to: 4 } });
const foundIn = (a: string, b: string, ...paths: string[]): CollisionEvent => ({
  kind: "CollisionsFound",
  pairs: [{ a, b, places: paths.map(place) }],
});
const play = (...events: CollisionEvent[]): Collisions => events.reduce(reduceCollisions, [] as Collisions);
const wait = (worker: string, on: string): CollisionEvent => {
  const id = [worker, on].sort().join("/");
  return { kind: "CollisionsOrdered", by: "O-A-1", ids: [id], waits: [{ id, worker, for: on }] };
};

test("a pair is told once, and again when it meets in further files", () => {
  const reported: CollisionEvent = { kind: "CollisionsReported", worker: "a", ids: ["a/b"] };
  const once = play(foundIn("a", "b", "api.ts"), reported);
  expect([unreportedTo(once, "a").length, unreportedTo(once, "b").length]).toEqual([0, 1]);
  expect(reduceCollisions(once, foundIn("a", "b", "api.ts"))).toBe(once);
  const grown = reduceCollisions(once, foundIn("a", "b", "store.ts"));
  expect(unreportedTo(grown, "a")).toMatchObject([
    { files: ["api.ts", "store.ts"], places: [place("store.ts")] },
  ]);
});

test("what was done is said in a few words", () => {
  const both = play(
    foundIn("a", "b", "api.ts", "store.ts"),
    { kind: "CollisionsReported", worker: "a", ids: ["a/b"] },
    { kind: "CollisionsReported", worker: "b", ids: ["a/b"] },
  );
  const texts = (all: Collisions) => all.map(formatOrder);
  expect(texts(both)).toEqual(["told both"]);
  expect(
    texts(reduceCollisions(both, { kind: "CollisionsOrdered", by: "O-A-1", ids: ["a/b"], waits: [] })),
  ).toEqual(["told both, both continue"]);
  const waiting = reduceCollisions(both, wait("b", "a"));
  expect(texts(waiting)).toEqual(["b waits for a"]);
  expect(openWaits(waiting).map(formatWait)).toEqual(["waiting for a to finish api.ts and 1 more"]);
  const ended = reduceCollisions(waiting, { kind: "CollisionWaitEnded", id: "a/b", why: "merged" });
  expect([texts(ended), waitOf(ended, "b")]).toEqual([["b waited for a and has its work"], null]);
});

test("two never wait for each other, directly or through others", () => {
  const all = play(
    foundIn("a", "b", "x"),
    foundIn("b", "c", "x"),
    foundIn("a", "c", "x"),
    wait("a", "b"),
    wait("b", "c"),
  );
  expect(waitsInCircle(all, { worker: "c", for: "a" })).toBe(true);
  expect(reduceCollisions(all, wait("c", "a")).map(({ order }) => order?.kind)).toEqual([
    "wait",
    "wait",
    "continue",
  ]);
});

test("in any order of events no wait is in a circle, the first order stays, and repeats change nothing", () => {
  const names = ["a", "b", "c", "d"];
  const pair = fc
    .subarray(names, { minLength: 2, maxLength: 2 })
    .map(([one = "a", other = "b"]) => [one, other] as const);
  const event: fc.Arbitrary<CollisionEvent> = fc.oneof(
    fc.tuple(pair, fc.constantFrom("x", "y")).map(([[a, b], path]) => foundIn(a, b, path)),
    fc.tuple(pair, fc.boolean()).map(([[a, b], turned]) => (turned ? wait(b, a) : wait(a, b))),
    pair.map(([a, b]): CollisionEvent => ({ kind: "CollisionWaitEnded", id: `${a}/${b}`, why: "abandoned" })),
    pair.map(([a, b]): CollisionEvent => ({ kind: "CollisionsReported", worker: a, ids: [`${a}/${b}`] })),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: Collisions = [];
      for (const one of events) {
        const after = reduceCollisions(before, one);
        for (const { id, order } of before)
          if (order) expect(after.find((other) => other.id === id)?.order?.kind).toBe(order.kind);
        expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
        expect(reduceCollisions(after, one)).toEqual(after);
        for (const open of openWaits(after)) {
          const others = after.filter(({ id }) => id !== open.id);
          expect(waitsInCircle(others, open)).toBe(false);
        }
        before = after;
      }
    }),
  );
});
