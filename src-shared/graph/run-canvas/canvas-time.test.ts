import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunCanvasInput } from "./canvas-input.ts";
import { layOutRun } from "./layout.ts";
import type { RunCanvas } from "./run-canvas.ts";
import { sampleRun } from "./testing/sample-run.ts";
import { shownSpan, stretched } from "./time-scale.ts";

test("lanes of a long run are drawn again only when now moves by a px", () => {
  const input = sampleRun({ lanes: 20, parts: 0, seed: 4, minutes: 50 });
  const at = (second: number): RunCanvas =>
    layOutRun({ ...input, window: null, isFollowingNow: false, now: input.now + second * 1_000 });
  const seconds = Array.from({ length: 60 }, (_, second) => at(second));
  const rows = new Set(seconds.map((canvas) => JSON.stringify(canvas.rows)));
  const px = (seconds.at(-1)?.columns.now ?? 0) - (seconds[0]?.columns.now ?? 0);
  expect(px).toBeGreaterThan(2);
  expect(rows.size).toBe(px + 1);
});

describe("breaks", () => {
  const minute = 60_000;
  const input = sampleRun({ lanes: 6, parts: 0, seed: 2, minutes: 8 });
  /** The run, and hours later: from its eighth minute on nobody worked. */
  const waiting = (
    minutes: number,
    to: number | null = null,
    more: Partial<RunCanvasInput> = {},
  ): RunCanvas =>
    layOutRun({
      ...input,
      ...more,
      now: input.now + minutes * minute,
      timeline: input.timeline && {
        ...input.timeline,
        breaks: [{ from: input.now, to: to === null ? null : input.now + to * minute, why: "waits" }],
      },
    });

  test("a wait of eleven hours takes a fifth of what is drawn, and shows its length", () => {
    const { breaks, columns } = waiting(11 * 60);
    expect(breaks).toHaveLength(1);
    const [one] = breaks;
    expect(one).toMatchObject({ why: "waits", isOpen: true, ms: 11 * 60 * minute, to: columns.now });
    const share = ((one?.to ?? 0) - (one?.from ?? 0)) / (columns.now - columns.start);
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.21);
  });

  test("drawn time stops once a break is full, and existing marks stay when work continues", () => {
    const places = ({ rows, columns, breaks }: RunCanvas) => [
      rows.map(({ marks, line }) => [marks, line?.from]),
      columns.start,
      breaks.map(({ from, to }) => [from, to]),
    ];
    expect(waiting(11 * 60).columns.now).toBe(waiting(30).columns.now);
    expect(places(waiting(11 * 60))).toEqual(places(waiting(30)));
    expect(places(waiting(30, 30))).toEqual(places(waiting(30)));
    // As long as what is drawn is not full.
    expect(places(waiting(30.2, 30))).toEqual(places(waiting(30)));
    expect(waiting(30.2, 30).columns.now).toBeGreaterThan(waiting(30).columns.now);
  });

  test("a short break is drawn in real time, without a mark", () => {
    expect(waiting(1.5).breaks).toEqual([]);
    expect(waiting(1.5).columns.now).toBe(layOutRun({ ...input, now: input.now + 1.5 * minute }).columns.now);
  });

  test("a window shows drawn time, and follows the present", () => {
    const all = waiting(11 * 60);
    expect(all.now).toBeLessThan(input.now + 3 * minute);
    const near = waiting(11 * 60, null, { window: { from: 0, to: 2 * minute }, isFollowingNow: true });
    expect(near.shown.to - near.shown.from).toBeCloseTo(2 * minute, 3);
    expect(near.shown.to - near.now).toBeCloseTo(12_000, 3);
    expect(near.columns.isNowShown).toBe(true);
    const early = waiting(11 * 60, null, {
      window: { from: all.whole.from, to: all.whole.from + minute },
      isFollowingNow: false,
    });
    expect(early.columns.isNowShown).toBe(false);
    expect(early.breaks).toEqual([]);
  });
});

describe("time", () => {
  test("is drawn in steps that contain the past, each longer than the one before", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), (ms) => {
        expect(shownSpan(ms)).toBeGreaterThanOrEqual(ms);
        expect(shownSpan(ms)).toBeLessThanOrEqual(Math.max(10_000, ms * 2));
      }),
    );
  });

  test("stays within the whole, and around the moment, however it is drawn", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (by, share) => {
          const whole = { from: 0, to: 1_000_000 };
          const window = stretched({ from: 200_000, to: 600_000 }, whole, by, 200_000 + share * 400_000);
          expect(window.from).toBeGreaterThanOrEqual(-1e-6);
          expect(window.to).toBeLessThanOrEqual(1_000_000 + 1e-6);
          expect(window.to - window.from).toBeGreaterThanOrEqual(1_999);
        },
      ),
    );
  });
});
