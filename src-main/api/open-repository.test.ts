import { expect, test } from "vitest";
import { paced } from "./open-repository.ts";

test("requests during a run cause one more run, and none after it was stopped", async () => {
  let begun = 0;
  let most = 0;
  let doing = 0;
  const ends: (() => void)[] = [];
  const work = paced(async () => {
    begun += 1;
    doing += 1;
    most = Math.max(most, doing);
    await new Promise<void>((end) => ends.push(end));
    doing -= 1;
  }, 0);
  for (let asked = 0; asked < 10; asked++) work.ask();
  expect(begun).toBe(1);
  ends[0]?.();
  await expect.poll(() => begun).toBe(2);
  work.ask();
  const stopped = work.stop();
  ends[1]?.();
  await stopped;
  work.ask();
  expect([begun, most]).toEqual([2, 1]);
});
