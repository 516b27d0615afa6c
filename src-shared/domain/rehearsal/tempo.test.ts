import { expect, test } from "vitest";
import { rehearsalTime } from "./tempo.ts";

test.each([
  [8, "10 seconds"],
  [38, "40 seconds"],
  [64, "1 minute"],
  [96, "1½ minutes"],
  [118, "2 minutes"],
  [150, "2½ minutes"],
])("%i measured seconds are shown as %s", (seconds, words) => {
  expect(rehearsalTime(seconds)).toBe(`About ${words} plus your decisions`);
});
