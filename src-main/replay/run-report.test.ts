import fc from "fast-check";
import { expect, it } from "vitest";
import type { ReportedResult } from "#shared/contract/commands/report.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { runReportMarkdown } from "./read-run-report.ts";
import { createReplay } from "./replay.ts";
import { emptyResult, runReport } from "./run-report.ts";
import { anyText, smallRecording } from "./testing/any-recording.ts";

const planned = (title: string): Parameters<typeof smallRecording>[0] => ({
  moments: [
    {
      at: 1,
      event: {
        kind: "StageMoved",
        orchestrator: "O-A-1",
        event: { kind: "StartOrchestration", limits: { repairRounds: 2, autoAdvance: true } },
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
  return runReport(recording, viewsAt(to), result, []);
};

it("lists unfinished work as left to do", () => {
  const { left } = reportOf(planned("Write the store"));
  expect(left).toEqual([{ kind: "task", who: "agent-1", text: expect.stringContaining("Write the store") }]);
});

it("quotes all untrusted text as code, whatever it contains", () => {
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

it("lists every round of votes, with each seat's reasons and repairs", () => {
  const judged = (attempt: number, verdict: ValidationView["verdict"]): ValidationView => ({
    ...{ commitId: `${attempt}`.repeat(40), attempt, quorum: 2, tolerated: 0, verdict, checks: [] },
    seats: (["approve", verdict === "approved" ? "approve" : "reject"] as const).map((vote, at) => ({
      ...{ seat: `validator-${at + 1}`, evidence: "diff", vote, reason: `${vote} in ${attempt}` },
      ...{ at: attempt, counted: true },
    })),
  });
  const events: readonly RunEvent[] = [
    { kind: "VotesCounted", validation: judged(1, "rejected") },
    { kind: "VerdictFailed", attempt: 1, verdict: "rejected", reasons: ["reject in 1"] },
    { kind: "RepairWorded", words: "Keep the *address*." },
    { kind: "ResultRepaired", attempt: 1, summary: "It is kept." },
    { kind: "VotesCounted", validation: judged(2, "approved") },
    {
      kind: "PhaseVotesCounted",
      verdict: { orchestrator: "O-A-1", number: 1, validation: judged(1, "approved") },
    },
  ];
  const report = reportOf({
    moments: [
      ...(planned("Write the store")?.moments ?? []),
      ...events.map((event, at) => ({ at: at + 3, event })),
    ],
  });
  expect(report.votes).toMatchObject({
    verdict: "approved",
    rounds: [
      {
        ...{ attempt: 1, verdict: "rejected" },
        votes: [
          { vote: "approve", reason: "approve in 1" },
          { vote: "reject", reason: "reject in 1" },
        ],
        repair: { askedBy: "user", words: "Keep the *address*.", summary: "It is kept." },
      },
    ],
  });
  expect(report.phaseVotes).toMatchObject([{ number: 1, verdict: "approved", rounds: [] }]);
  const page = runReportMarkdown(report);
  expect(page).toContain("## Votes on phase 1 of `O-A-1`");
  expect(page).toContain("### Round 1\n\n`rejected`.");
  expect(page).toContain("- `validator-1` (`diff`) `approve`: `approve in 1`");
  expect(page).toContain("The user said: `Keep the *address*.`\n\nRepaired: `It is kept.`");
});
