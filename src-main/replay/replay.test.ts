import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunEvent } from "#shared/run/events.ts";
import { replayRun } from "#shared/run/reduce.ts";
import { newRun } from "#shared/run/state.ts";
import { createReplay, densityOf, pastStates } from "./replay.ts";
import { anyMoments, anyRecording, smallRecording } from "./testing/any-recording.ts";

const begun = smallRecording().startedAt;

it("shows the state after the events up to a moment, in any order of moments", () => {
  fc.assert(
    fc.property(anyMoments(300), fc.array(fc.nat(330), { minLength: 1, maxLength: 12 }), (moments, jumps) => {
      const recording = smallRecording({ moments });
      const past = pastStates(recording);
      const empty = newRun(recording.run, recording.startedAt, recording.input.root);
      for (const jump of jumps) {
        const count = Math.min(jump, moments.length);
        expect(past(count)).toEqual(replayRun(empty, moments.slice(0, count)));
      }
    }),
    { numRuns: 40 },
  );
});

it("shows nothing of what comes later, and everything at its end", () => {
  fc.assert(
    fc.property(
      anyRecording,
      fc.nat(60),
      fc.array(fc.nat(60), { maxLength: 3 }),
      (recording, place, before) => {
        const { times, viewsAt } = createReplay(recording);
        // Wherever it was looked at before.
        for (const one of before) viewsAt(times[one % times.length] ?? 0);
        const at = times[place % times.length] ?? 0;
        const cut = createReplay({
          ...recording,
          moments: recording.moments.filter((moment) => moment.at <= at),
          conversations: Object.fromEntries(
            Object.entries(recording.conversations).map(([worker, rows]) => [
              worker,
              rows.filter((row) => row.at <= at),
            ]),
          ),
          spending: recording.spending.filter((request) => request.at <= at),
          cards: recording.cards
            .filter(({ item }) => item.at <= at)
            .map((card) =>
              card.answeredAt !== null && card.answeredAt > at
                ? { ...card, answeredAt: null, decision: null }
                : card,
            ),
        });
        expect(viewsAt(at)).toEqual(cut.viewsAt(at));
      },
    ),
    { numRuns: 60 },
  );
});

it("counts the events in each part of its time, without losing any", () => {
  fc.assert(
    fc.property(anyRecording, fc.integer({ min: 1, max: 300 }), (recording, parts) => {
      const replay = createReplay(recording);
      const density = densityOf(replay, parts);
      expect(density).toHaveLength(parts);
      expect(density.reduce((sum, count) => sum + count, 0)).toBe(replay.times.length);
    }),
    { numRuns: 30 },
  );
});

it("has a beginning and an end without events", () => {
  const replay = createReplay(smallRecording());
  expect(replay.from).toBe(replay.to);
  expect(replay.moments).toEqual([]);
  expect(replay.viewsAt(replay.to).run).toMatchObject({ stage: "idle", workers: [] });
});

it("ends with its run, whatever is journalled when its repository is reopened later", () => {
  const endedAt = begun + 180_000;
  const undone = { kind: "LandingUndone" } as unknown as RunEvent;
  const opened = { kind: "WorkerPaused" } as unknown as RunEvent;
  const at = (minutes: number, event: RunEvent) => ({ at: begun + minutes * 60_000, event });
  const card = (minutes: number) => ({
    item: { kind: "suggestion", at: begun + minutes * 60_000 },
    answeredAt: null,
    decision: null,
  });
  const lengthOf = (moments: readonly unknown[], cards: readonly unknown[] = []): number => {
    const recording = smallRecording({ endedAt, moments, cards } as Parameters<typeof smallRecording>[0]);
    const { from, to, times } = createReplay(recording);
    expect(times.at(-1) ?? 0).toBeLessThanOrEqual(to);
    return to - from;
  };
  expect(lengthOf([], [card(1), card(25)])).toBe(180_000);
  expect(lengthOf([at(2, opened), at(25, opened)])).toBe(180_000);
  expect(lengthOf([at(25, undone)]), "a landing that was undone belongs to it").toBe(25 * 60_000);
});
