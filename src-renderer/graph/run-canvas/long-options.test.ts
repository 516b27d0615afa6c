import { expect, test } from "vitest";
import { longOptions } from "./long-options.ts";

test("options that fit beside each other are cut in nothing, and only what is too long gives way", () => {
  expect(longOptions(["user_id", "userId"], 180)).toEqual([false, false]);
  expect(longOptions(["400 cm", "450 cm"], 170)).toEqual([false, false]);
  expect(longOptions(["Tenths of a cent, rounded half up", "Cents"], 180)).toEqual([true, false]);
});

test("where all are too long, each gives way", () => {
  expect(longOptions(Array(3).fill("A rather long way to say it"), 230)).toEqual([true, true, true]);
});
