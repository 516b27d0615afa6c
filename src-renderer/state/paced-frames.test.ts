import { describe, expect, it } from "vitest";
import { type Frames, pacedFrames } from "./intake.ts";

const frameMs = 16;

/** A window whose drawings take as long as the test says, on a clock that the test moves. */
function fakeWindow({ tookMs, isHidden = false }: { tookMs: number; isHidden?: boolean }) {
  let now = 0;
  let tasks: { at: number; task: () => void }[] = [];
  const add = (task: () => void, ms: number): { at: number; task: () => void } => {
    const one = { at: now + ms, task };
    tasks.push(one);
    return one;
  };
  const drawn: number[] = [];
  const frames: Frames = {
    now: () => now,
    isHidden: () => isHidden,
    requestFrame: (task) => void add(task, frameMs),
    afterFrame: (task) => void add(task, 0),
    later(task, ms) {
      const one = add(task, ms);
      return () => {
        tasks = tasks.filter((other) => other !== one);
      };
    },
  };
  const ask = pacedFrames(() => {
    drawn.push(now);
    now += tookMs;
  }, frames);
  /** Lets time go on, and asks every `everyMs` of it. */
  const goOn = (ms: number, everyMs = Infinity): void => {
    const end = now + ms;
    for (let next = now + everyMs; now < end; ) {
      tasks.sort((one, other) => one.at - other.at);
      const first = tasks[0];
      if (first && first.at <= Math.max(now, next)) {
        tasks.shift();
        now = Math.max(now, first.at);
        first.task();
      } else {
        now = Math.min(end, Math.max(now, next));
        next += everyMs;
        if (now < end) ask({ isUrgent: false });
      }
    }
  };
  const setClock = (to: number): void => {
    now = to;
  };
  return { ask, goOn, drawn, setClock };
}

describe("paced frames", () => {
  it("draws all that came in before a frame once", () => {
    const { ask, goOn, drawn } = fakeWindow({ tookMs: 1 });
    for (let at = 0; at < 5; at++) ask({ isUrgent: false });
    goOn(frameMs + 1);
    expect(drawn).toEqual([frameMs]);
  });

  it("draws what streams in ten times a second at most, however quickly it is drawn", () => {
    const { goOn, drawn } = fakeWindow({ tookMs: 1 });
    goOn(1_000, 1);
    expect(drawn.length).toBeLessThanOrEqual(10);
    expect(drawn.length).toBeGreaterThan(7);
  });

  it("leaves the window four fifths of its time, however many ask", () => {
    const { goOn, drawn } = fakeWindow({ tookMs: 30 });
    goOn(3_000, 1);
    expect(drawn.length * 30).toBeLessThanOrEqual(3_000 / 5 + 30);
    expect(drawn.length).toBeGreaterThan(10);
  });

  it("draws again within a quarter of a second where the clock has gone back", () => {
    const { ask, goOn, drawn, setClock } = fakeWindow({ tookMs: 1 });
    goOn(60_000, 100);
    const before = drawn.length;
    setClock(0);
    ask({ isUrgent: false });
    goOn(250 + 2 * frameMs);
    expect(drawn).toHaveLength(before + 1);
  });

  it("shows nothing that is older than a quarter of a second and a drawing", () => {
    const { goOn, drawn } = fakeWindow({ tookMs: 200 });
    goOn(5_000, 1);
    const gaps = drawn.slice(1).map((at, index) => at - (drawn[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(200 + 250 + frameMs + 1);
  });

  it("draws what is urgent with the next frame, also where it rests", () => {
    const { goOn, ask, drawn } = fakeWindow({ tookMs: 100 });
    ask({ isUrgent: false });
    goOn(130);
    const before = drawn.length;
    ask({ isUrgent: false });
    ask({ isUrgent: true });
    goOn(frameMs + 1);
    expect(drawn.length).toBe(before + 1);
    goOn(400);
    expect(drawn.length, "what waited has been drawn with it").toBe(before + 1);
  });

  it("still draws in a hidden window", () => {
    const { goOn, drawn } = fakeWindow({ tookMs: 1, isHidden: true });
    goOn(1_000, 10);
    expect(drawn.length).toBeGreaterThanOrEqual(3);
    expect(drawn.length).toBeLessThanOrEqual(5);
  });
});
