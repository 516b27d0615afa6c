import { describe, expect, it } from "vitest";
import { failureExcerpt } from "./failure-excerpt.ts";

describe("failureExcerpt", () => {
  it("ends where GitHub says that a step failed, without times, colours and groups", () => {
    const log = [
      "2026-08-01T12:00:00.1234567Z ##[group]Run npm test",
      "2026-08-01T12:00:01.1234567Z \u001b[31mFAIL\u001b[0m src/store.test.ts",
      "2026-08-01T12:00:02.1234567Z expected 2, got 3",
      "2026-08-01T12:00:03.1234567Z ##[error]Process completed with exit code 1.",
      "2026-08-01T12:00:04.1234567Z Post job cleanup.",
    ].join("\n");
    expect(failureExcerpt(log)).toBe(
      "FAIL src/store.test.ts\nexpected 2, got 3\nError: Process completed with exit code 1.",
    );
  });

  it("is the end of a log of GitLab, as a terminal would show it", () => {
    const log =
      "section_start:1700000000:step_script\r\u001b[0K\u001b[0;m$ make\nloading 1%\rloading 100%\n\u001b[31;1mERROR: Job failed: exit code 2\n\u001b[0;m\n";
    expect(failureExcerpt(log)).toBe("$ make\nloading 100%\nERROR: Job failed: exit code 2");
  });

  it("is short whatever the log is", () => {
    const log = `${"x".repeat(1_000)}\n`.repeat(10_000);
    const excerpt = failureExcerpt(log);
    expect(excerpt.length).toBeLessThanOrEqual(2_400);
    expect(excerpt.split("\n").every((line) => line.length <= 240)).toBe(true);
    expect(failureExcerpt("\n\n")).toBe("");
  });
});
