import { describe, expect, it } from "vitest";
import { readReport } from "./failure-report.ts";
import { runnerCases } from "./testing/runner-cases.ts";
import reports from "./testing/runner-reports.json" with { type: "json" };

const recorded: Readonly<Record<string, { readonly exitCode: number; readonly output: string }>> = reports;

describe("readReport, on output of real runners", () => {
  it.each(runnerCases.map((one) => [one.runner, one.when, one] as const))(
    "%s, when %s",
    (runner, when, { command, outcome, failures = null, why }) => {
      const report = recorded[`${runner}: ${when}`];
      if (report === undefined)
        throw new Error("Nothing is recorded: npm run -s test:real -- --runners --record");
      expect(readReport({ ...report, workspace: "/project", command })).toEqual({
        ...{ outcome, failures },
        ...(why === undefined ? {} : { why }),
      });
    },
  );
});
