import fc from "fast-check";
import { expect, test } from "vitest";
import type { CheckResult } from "../conversation/conversation.ts";
import { type CheckedFiles, type FilesChecked, isRepeatable, reduceCheckedFiles } from "./checked-files.ts";

const result = (outcome: CheckResult["outcome"]): CheckResult => ({
  ...{ name: "test", command: "npm test", speed: "slow", outcome, ms: 1, output: "" },
});

test("only results that each check passed, or failed by before the run, serve the same files again", () => {
  expect(isRepeatable([])).toBe(true);
  expect(isRepeatable([result("passed"), result("known-failure")])).toBe(true);
  for (const outcome of ["failed", "timed-out", "missing", "could-not-run", "unproven"] as const)
    expect(isRepeatable([result("passed"), result(outcome)])).toBe(false);
});

test("in any order of events the newest results are kept, and none from before packages or checks changed", () => {
  const checked: fc.Arbitrary<FilesChecked> = fc.record({
    kind: fc.constant("FilesChecked" as const),
    key: fc.constantFrom(..."abcdefghijkl"),
    results: fc.constant([result("passed")]),
    at: fc.nat(3),
  });
  const other = fc.constantFrom(
    { kind: "PackagesInstalled" },
    { kind: "PreflightChanged", event: { kind: "Decided" } },
    { kind: "PreflightChanged", event: { kind: "Passed" } },
    { kind: "PreflightChanged" },
    { kind: "WorkReset" },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(checked, other)), (events) => {
      let before: readonly CheckedFiles[] = [];
      for (const event of events) {
        const after = reduceCheckedFiles(before, event);
        expect(reduceCheckedFiles(after, event)).toBe(after);
        expect(after.length).toBeLessThanOrEqual(8);
        expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
        if (event.kind === "FilesChecked")
          expect(after.some(({ key }) => "key" in event && key === event.key)).toBe(true);
        else if (event.kind === "WorkReset" || ("event" in event && event.event.kind === "Passed"))
          expect(after).toBe(before);
        else expect(after).toEqual([]);
        before = after;
      }
    }),
  );
});
