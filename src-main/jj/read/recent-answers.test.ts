import { expect, test } from "vitest";
import { createRecentAnswers } from "./recent-answers.ts";

test("concurrent equal queries about the same state share one answer; a failure is not shared", async () => {
  let time = 0;
  let asked = 0;
  const recent = createRecentAnswers<number>(1_000, () => time);
  const find = async () => {
    asked += 1;
    return asked;
  };
  expect(await Promise.all([recent.ask("a", "x", find), recent.ask("a", "x", find)])).toEqual([1, 1]);
  expect(await recent.ask("a", "y", find)).toBe(2);
  time = 999;
  expect(await recent.ask("a", "x", find)).toBe(1);
  time = 1_000;
  expect(await recent.ask("a", "x", find)).toBe(3);
  expect(await recent.ask("b", "x", find)).toBe(4);
  expect(await recent.ask("a", "x", find)).toBe(5);
  const broken = () => Promise.reject(new Error("no"));
  await expect(recent.ask("a", "z", broken)).rejects.toThrow("no");
  expect(await recent.ask("a", "z", find)).toBe(6);
});
