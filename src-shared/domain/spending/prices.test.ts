import { expect, test } from "vitest";
import { cacheLifetime } from "./prices.ts";

const minutes = (...sleeps: number[]) => cacheLifetime(sleeps.map((sleep) => sleep * 60_000));

test("an hour is paid for if recent sleeps were between five minutes and an hour", () => {
  expect(minutes()).toBe("1h");
  expect(minutes(1)).toBe("1h");
  expect(minutes(1, 12, 1, 1)).toBe("1h");
  expect(minutes(12, 1, 1, 1, 1)).toBe("5m");
  // Overnight nothing is remembered either way.
  expect(minutes(600, 700)).toBe("5m");
});
