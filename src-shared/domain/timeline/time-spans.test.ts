import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import { replayRun } from "../../run/reduce.ts";
import { newRun } from "../../run/state.ts";
import { rootOrchestrator } from "../change-metadata/address.ts";
import { newWorker } from "../worker/worker-record.ts";
import { sampleRun, sampleRunOfParts, sampleState } from "./testing/sample-timelines.ts";
import { type BreakParts, breaksOf, common, drawnTime, union, type Waiting, without } from "./time-spans.ts";
import type { Interval, TimelineBreak, TimelineTrack, TrackMark, TrackStretch } from "./timeline.ts";
import { type AwaitedCard, timelineOf } from "./timeline-of.ts";

const minute = 60_000;
const stretchOf = (
  kind: TrackStretch["kind"],
  from: number,
  to: number | null,
): Omit<TrackStretch, "id"> => ({
  ...{ kind, worker: "agent-1" },
  from: from * minute,
  to: to === null ? null : to * minute,
});

/** Minutes. */
interface Lane {
  readonly began: number;
  readonly ended?: number;
  readonly stretches?: readonly Omit<TrackStretch, "id">[];
}

function lane(id: string, orchestrator: string, { began, ended, stretches = [] }: Lane): TimelineTrack {
  const marks: TrackMark[] = [{ id: `${id}#0`, kind: "began", worker: id, at: began * minute }];
  if (ended !== undefined) marks.push({ id: `${id}#1`, kind: "merged", worker: id, at: ended * minute });
  return {
    ...{ id, kind: "lane", orchestrator, parent: null, task: id, title: id, phase: 1, workers: [id], marks },
    stretches: stretches.map((one, nth) => ({ ...one, id: `${id}~${nth}` })),
  };
}

const spine = (
  id: string,
  parent: string | null,
  began: number,
  stretches: readonly Omit<TrackStretch, "id">[] = [],
): TimelineTrack => ({
  ...{ id, kind: "spine", orchestrator: id, parent, task: null, title: "", phase: 0, workers: [id] },
  marks: [{ id: `${id}#0`, kind: "began", worker: id, at: began * minute }],
  stretches: stretches.map((one, nth) => ({ ...one, id: `${id}~${nth}` })),
});

const breaks = (
  tracks: readonly TimelineTrack[],
  more: { readonly waiting?: readonly Waiting[]; readonly away?: readonly Interval[] } & Partial<
    Pick<BreakParts, "endedAt">
  > = {},
): readonly (readonly [number, number | null, string])[] =>
  breaksOf({ startedAt: 0, endedAt: null, tracks, waiting: [], away: [], ...more }).map(
    ({ from, to, why }) => [from / minute, to === null ? null : to / minute, why],
  );
const root = spine("O-A-1", null, 0);
/** A card of the run that waits for a user. */
const card = (from: number, to: number): Waiting => ({
  track: "O-A-1",
  from: from * minute,
  to: to * minute,
});

describe("breaks of a run", () => {
  it("begin when all lanes that have begun are idle, and not while one of them works", () => {
    const asks = lane("a", "O-A-1", { began: 1, stretches: [stretchOf("asks", 5, 20)] });
    const waiting = [card(5, 20)];
    expect(breaks([root, asks], { waiting })).toEqual([[5, 20, "waits"]]);
    const worksUntil8 = lane("b", "O-A-1", { began: 2, ended: 8 });
    expect(breaks([root, asks, worksUntil8], { waiting })).toEqual([[8, 20, "waits"]]);
    expect(breaks([root, asks, lane("b", "O-A-1", { began: 2 })], { waiting })).toEqual([]);
  });

  it("count an agent that stalls as working, and one that is blocked only while a user is asked", () => {
    const stalled = lane("a", "O-A-1", { began: 1, stretches: [stretchOf("stalled", 3, null)] });
    const waiting = [card(3, Infinity)];
    expect(breaks([root, stalled], { waiting })).toEqual([]);
    const stuck = lane("a", "O-A-1", { began: 1, stretches: [stretchOf("stuck", 3, null)] });
    expect(breaks([root, stalled, stuck], { waiting })).toEqual([]);
    expect(breaks([root, stuck])).toEqual([]);
    // Its orchestrator tries to help first.
    expect(breaks([root, stuck], { waiting: [card(7, Infinity)] })).toEqual([[7, null, "waits"]]);
  });

  it("treat a conflict as work, and a pause of the run as a break until it ends", () => {
    const meets = lane("a", "O-A-1", { began: 1, stretches: [stretchOf("conflict", 3, 30)] });
    expect(breaks([root, meets])).toEqual([]);
    const paused = spine("O-A-1", null, 0, [{ ...stretchOf("paused", 4, null), worker: null }]);
    expect(breaks([paused, meets])).toEqual([[4, null, "paused"]]);
    expect(breaks([paused, meets], { endedAt: 50 * minute })).toEqual([[4, 50, "paused"]]);
  });

  it("include an outage of the provider, which stops all agents", () => {
    const limited = spine("O-A-1", null, 0, [{ ...stretchOf("provider", 4, 190), worker: null }]);
    expect(breaks([limited, lane("a", "O-A-1", { began: 1 }), lane("b", "O-A-1", { began: 2 })])).toEqual([
      [4, 190, "provider"],
    ]);
  });

  it("count the orchestrator as working without lanes, but not while a card of the run waits", () => {
    const done = lane("a", "O-A-1", { began: 1, ended: 6 });
    expect(breaks([root, done])).toEqual([]);
    const waiting = [{ track: "O-A-1", from: 9 * minute, to: 500 * minute }];
    expect(breaks([root, done], { waiting })).toEqual([[9, 500, "waits"]]);
  });

  it("count a part's orchestrator as working until its lanes begin", () => {
    const part = spine("O-B-1", "O-A-1", 3);
    const asks = lane("a", "O-A-1", { began: 1, stretches: [stretchOf("asks", 2, 40)] });
    const waiting = [card(2, 40)];
    expect(breaks([root, asks, part], { waiting })).toEqual([[2, 3, "waits"]]);
    const inPart = lane("b", "O-B-1", { began: 5, stretches: [stretchOf("held", 10, 30)] });
    expect(breaks([root, asks, part, inPart], { waiting })).toEqual([
      [2, 3, "waits"],
      [10, 30, "waits"],
    ]);
  });

  it("include time without a host, whatever was open", () => {
    const away = [{ from: 10 * minute, to: 600 * minute }];
    expect(breaks([root, lane("a", "O-A-1", { began: 1 })], { away })).toEqual([[10, 600, "away"]]);
    const asks = lane("a", "O-A-1", { began: 1, stretches: [stretchOf("asks", 9, 605)] });
    expect(breaks([root, asks], { away, waiting: [card(9, 605)] })).toEqual([[9, 605, "away"]]);
  });

  it("never move their beginnings, and end once, however a run continues", () => {
    for (const sample of [sampleRun(3), sampleRun(16), sampleRunOfParts(3)]) {
      let before: readonly TimelineBreak[] = [];
      for (let count = 1; count <= sample.events.length; count++) {
        const at = sample.events[count - 1]?.at ?? 0;
        const parts = { ...sample.parts, awaited: [] };
        const now = timelineOf(sampleState(sample, count).timeline, parts).breaks;
        const ended = before.filter(({ to }) => to !== null && to < at);
        expect(now.slice(0, ended.length)).toEqual(ended);
        before = now;
      }
    }
  });
});

describe("a card that an agent does not wait for at once", () => {
  /** One agent, with an iteration each minute, and a card in its second minute. */
  const breaksWith = (waits: AwaitedCard["waits"], statuses: readonly ("in_progress" | "review")[]) => {
    const at = (minutes: number) => minutes * minute;
    const worker = "agent-1";
    const record = newWorker({ name: worker, role: "agent", parent: "O-A-1", title: "Work", task: "t1" });
    const events: readonly (readonly [number, RunEvent])[] = [
      [0, { kind: "WorkerJoined", worker, record }],
      [0, { kind: "WorkStarted", worker }],
      ...statuses.map((status, nth): readonly [number, RunEvent] => [
        at(nth + 1),
        {
          ...{ kind: "IterationEnded", worker, status, iteration: nth + 1, checks: [], contradicts: null },
          ...{ hasConflict: false, hasProgressed: true, stalledAfter: 3, at: at(nth + 1) },
        },
      ]),
    ];
    const { timeline } = replayRun(
      newRun("r", 0, rootOrchestrator),
      events.map(([at, event]) => ({ at, event })),
    );
    const awaited = [{ worker, at: at(1.5), answeredAt: at(20), waits }];
    return timelineOf(timeline, { asked: [], proposed: [], written: [], awaited }).breaks.map(
      ({ from, to }) => [from / minute, to === null ? null : to / minute],
    );
  };

  it("is a break from the iteration's end on, or from when the agent has nothing else to do", () => {
    const works = ["in_progress", "in_progress", "in_progress", "in_progress"] as const;
    expect(breaksWith("at-once", works)).toEqual([[1.5, 20]]);
    expect(breaksWith("next-iteration", works)).toEqual([[2, 20]]);
    expect(breaksWith("when-done", works)).toEqual([]);
    expect(breaksWith("when-done", [...works, "review"])).toEqual([[5, 20]]);
  });
});

const intervals = fc
  .array(fc.tuple(fc.nat(60), fc.nat(20)).map(([from, length]) => ({ from, to: from + length })))
  .map((list) => union(list));
const has = (set: readonly Interval[], at: number): boolean =>
  set.some(({ from, to }) => from <= at && at < to);

describe("intervals", () => {
  it("contain what one has and the other has not", () => {
    fc.assert(
      fc.property(intervals, intervals, fc.nat(80), (one, other, at) => {
        expect(has(without(one, other), at)).toBe(has(one, at) && !has(other, at));
        expect(has(union([...one, ...other]), at)).toBe(has(one, at) || has(other, at));
        expect(has(common(one, other), at)).toBe(has(one, at) && has(other, at));
      }),
    );
  });
});

const someBreaks = fc
  .array(fc.tuple(fc.nat(40 * minute), fc.nat(700 * minute)), { maxLength: 6 })
  .map((pairs) => {
    let at = 0;
    return pairs.map(([work, length]): TimelineBreak => {
      const from = at + work + 1;
      at = from + length + 1;
      return { from, to: at, why: "waits" };
    });
  });
const moments = fc.nat(5_000 * minute);

describe("drawn time", () => {
  it("advances with time, never back, and never faster than time", () => {
    fc.assert(
      fc.property(someBreaks, moments, fc.nat(100 * minute), (list, at, later) => {
        const { drawn } = drawnTime(list, 0);
        const went = drawn(at + later) - drawn(at);
        expect(went).toBeGreaterThanOrEqual(0);
        expect(went).toBeLessThanOrEqual(later);
      }),
    );
  });

  it("draws a moment where it was drawn before anything came after it", () => {
    fc.assert(
      fc.property(someBreaks, moments, (list, at) => {
        const known = list
          .filter(({ from }) => from <= at)
          .map((one) => (one.to !== null && one.to > at ? { ...one, to: null } : one));
        expect(drawnTime(known, 0).drawn(at)).toBe(drawnTime(list, 0).drawn(at));
      }),
    );
  });

  it("keeps work at its length, and limits a break to a quarter of what is drawn before it", () => {
    fc.assert(
      fc.property(someBreaks, (list) => {
        const { drawn } = drawnTime(list, 0);
        let end = 0;
        for (const { from, to } of list) {
          expect(drawn(from) - drawn(end)).toBeCloseTo(from - end, 3);
          const length = drawn(to ?? from) - drawn(from);
          expect(length).toBeCloseTo(Math.min((to ?? from) - from, Math.max(2_000, drawn(from) / 4)), 3);
          end = to ?? from;
        }
      }),
    );
  });

  it("maps a position back to the first moment that is drawn there", () => {
    fc.assert(
      fc.property(someBreaks, moments, (list, at) => {
        const { drawn, moment } = drawnTime(list, 0);
        const back = moment(drawn(at));
        expect(drawn(back)).toBeCloseTo(drawn(at), 3);
        expect(back).toBeLessThanOrEqual(at + 0.001);
      }),
    );
  });

  it("a waiting night in a run of eight minutes is two of ten", () => {
    const { drawn, shortened } = drawnTime([{ from: 8 * minute, to: 600 * minute, why: "away" }], 0);
    expect(drawn(600 * minute)).toBe(10 * minute);
    expect(drawn(601 * minute)).toBe(11 * minute);
    expect(shortened).toHaveLength(1);
  });
});
