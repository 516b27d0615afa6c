import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepBreathing } from "./breath.ts";

/** A window with so many signs that breathe, which counts how often its style sheets have to be looked at again. */
function windowWith(signs: number) {
  const breathing = { length: signs };
  const still = { matches: false };
  let written = 0;
  const dataset = new Proxy<Record<string, string>>(
    {},
    {
      set(target, key, value) {
        written += 1;
        return Reflect.set(target, key, value);
      },
    },
  );
  const page = {
    visibilityState: "visible",
    documentElement: { dataset },
    getElementsByClassName: (name: string) => (name === "breathe" ? breathing : { length: 0 }),
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("matchMedia", () => still);
  return { breathing, still, page, depth: () => dataset.breath, written: () => written };
}

const stepMs = 200;
const step = (): void => void vi.advanceTimersByTime(stepMs);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("all signs breathe in and out together, a breath in 1.6 seconds", () => {
  const { depth } = windowWith(50);
  keepBreathing();
  const depths = Array.from({ length: 16 }, () => {
    step();
    return depth();
  });
  expect(depths.join("")).toBe("1234321012343210");
});

test("where nothing breathes, or nothing may move, the style sheets are left alone", () => {
  const { breathing, still, depth, written } = windowWith(0);
  keepBreathing();
  for (let count = 0; count < 20; count++) step();
  expect(depth()).toBe("0");
  expect(written()).toBe(1);
  breathing.length = 1;
  step();
  expect(depth()).toBe("1");
  still.matches = true;
  for (let count = 0; count < 20; count++) step();
  expect(depth()).toBe("0");
  expect(written()).toBe(3);
});

test("pauses in a hidden window, and continues from there", () => {
  const { page, depth, written } = windowWith(3);
  keepBreathing();
  step();
  step();
  page.visibilityState = "hidden";
  for (let count = 0; count < 20; count++) step();
  expect([depth(), written()]).toEqual(["2", 2]);
  page.visibilityState = "visible";
  step();
  expect(depth()).toBe("3");
});
