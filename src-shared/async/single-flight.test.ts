import { expect, test } from "vitest";
import { singleFlight } from "./single-flight.ts";

test("never runs twice at once, runs once more for all requests meanwhile, and continues after a failure", async () => {
  let running = 0;
  let runs = 0;
  const release: (() => void)[] = [];
  const ask = singleFlight(async () => {
    runs += 1;
    running += 1;
    expect(running).toBe(1);
    await new Promise<void>((resolve) => {
      release.push(resolve);
    });
    running -= 1;
    if (runs === 1) throw new Error("the first one fails");
  });
  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(second).toBe(third);
  release.shift()?.();
  await expect(first).rejects.toThrow("the first one fails");
  await new Promise(setImmediate);
  expect(runs).toBe(2);
  const fourth = ask();
  release.shift()?.();
  await second;
  await new Promise(setImmediate);
  release.shift()?.();
  await fourth;
  expect(runs).toBe(3);
});
