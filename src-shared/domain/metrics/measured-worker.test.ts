import { expect, test } from "vitest";
import type { CheckResult } from "../conversation/conversation.ts";
import { addChecks, checkRatio, noChecksRun, sumChecks } from "./measured-worker.ts";

const ran = (speed: CheckResult["speed"], outcome: CheckResult["outcome"], ms: number): CheckResult => ({
  name: "types",
  command: "tsc",
  speed,
  outcome,
  ms,
  output: "",
});

test("runs, failures and time are counted by speed; baseline failures do not count", () => {
  const once = addChecks(noChecksRun, [
    ran("fast", "passed", 100),
    ran("fast", "timed-out", 50.4),
    ran("fast", "known-failure", 10),
    ran("slow", "failed", 2_000),
  ]);
  expect(once).toEqual({ fast: { runs: 3, failed: 1, ms: 160 }, slow: { runs: 1, failed: 1, ms: 2_000 } });
  expect(addChecks(once, [])).toEqual(once);
  expect(sumChecks([once, once]).fast).toEqual({ runs: 6, failed: 2, ms: 320 });
});

test("their ratio is formatted as text", () => {
  const of = (fast: number, slow: number) =>
    checkRatio(
      addChecks(noChecksRun, [
        ...Array.from({ length: fast }, () => ran("fast", "passed", 1)),
        ...Array.from({ length: slow }, () => ran("slow", "passed", 1)),
      ]),
    );
  expect([of(0, 0), of(3, 0), of(0, 2), of(8, 2), of(5, 2)]).toEqual([
    null,
    "fast ones only",
    "slow ones only",
    "4 fast to 1 slow",
    "2.5 fast to 1 slow",
  ]);
});
