import fc from "fast-check";
import { expect, it } from "vitest";
import type { ReportedResult } from "#shared/contract/views/run-report.ts";
import { createReplay } from "./replay.ts";
import { emptyResult, runReport } from "./run-report.ts";
import { runReportMarkdown } from "./run-report-markdown.ts";
import { anyText, smallRecording } from "./testing/any-recording.ts";

const planned = (title: string): Parameters<typeof smallRecording>[0] => ({
  moments: [
    {
      at: 1,
      event: {
        kind: "StageMoved",
        orchestrator: "O-A-1",
        event: { kind: "StartOrchestration", limits: { repairRounds: 2, autoAdvance: true }, version: 2 },
      },
    },
    {
      at: 2,
      event: {
        kind: "WorkerJoined",
        worker: "agent-1",
        record: { name: "agent-1", role: "agent", parent: "O-A-1", title, task: "t1" },
      },
    },
  ],
});

const reportOf = (over: Parameters<typeof smallRecording>[0], result: ReportedResult = emptyResult) => {
  const recording = smallRecording(over);
  const { to, viewsAt } = createReplay(recording);
  return runReport(recording, viewsAt(to), result);
};

it("names whose work was not finished as what is left to do", () => {
  const { left } = reportOf(planned("Write the store"));
  expect(left).toEqual([{ kind: "task", who: "agent-1", text: expect.stringContaining("Write the store") }]);
});

it("leaves no word of others outside of code, whatever it holds", () => {
  fc.assert(
    fc.property(anyText, anyText, (title, path) => {
      const { left, ...report } = reportOf(
        {
          ...planned(`# Heading ${title}`),
          input: { ...smallRecording().input, goal: `${title}\n# Heading` },
        },
        {
          of: "landed",
          files: [{ path: `| ${path}`, added: 1, removed: 0 }],
          commits: [`# Heading ${title}`],
          note: null,
        },
      );
      const page = runReportMarkdown({ ...report, left });
      const open = page
        .replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gmu, "")
        .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/gu, "");
      expect(open.match(/^#.*Heading/gmu)).toBeNull();
      // A table keeps as many cells as its head has.
      const cells = page.split("\n").filter((line) => line.startsWith("| `\\|"));
      for (const line of cells) expect(line.replaceAll("\\|", "").split("|")).toHaveLength(5);
    }),
    { numRuns: 60 },
  );
});
