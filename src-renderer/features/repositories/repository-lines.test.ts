import { describe, expect, it } from "vitest";
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/app.ts";
import { repositoryLine, runsInterrupted, unfinishedLine } from "./repository-lines.ts";

const run = (more: Partial<RunStatus> = {}): RunStatus => ({
  ...{ id: "r", goal: "Sell", stage: "executing", phase: 1, phaseTitle: "Build", paused: "no" },
  ...{ endedAt: null, endedBy: null, landed: null, failure: null },
  ...more,
});
const view = (more: Partial<OpenRepositoryView> = {}): OpenRepositoryView => ({
  ...{ path: "/shop", name: "shop", runs: [], waiting: [] },
  ...more,
});
const card = { id: "c", run: "r", title: "Question", headline: "Which?" };

describe("status line of a repository that is not on screen", () => {
  it("says what waits first, then what its run does", () => {
    expect(repositoryLine(view({ runs: [run()], waiting: [card] }))).toBe("question waiting for you");
    expect(repositoryLine(view({ waiting: [card, { ...card, id: "d" }] }))).toBe("2 waiting for you");
    expect(repositoryLine(view({ runs: [run()] }))).toBe("works: Build");
    expect(repositoryLine(view({ runs: [run({ paused: "paused" })] }))).toBe("paused");
    expect(repositoryLine(view({ runs: [run(), run({ id: "s" })] }))).toBe("2 runs in progress");
    expect(repositoryLine(view({ runs: [run({ stage: "failed", endedAt: 1 })] }))).toBe("failed");
    expect(repositoryLine(view({ lockedBy: "process 7", runs: [run()] }))).toBe("open in another Hox");
    expect(repositoryLine(view())).toBe("no run");
  });

  it("calls a run active only while a process works on it", () => {
    const line = (inOtherHost: "goes-on" | "paused" | null, waiting = 0) =>
      unfinishedLine({ goal: "Sell", waiting, inOtherHost });
    expect(line("goes-on")).toBe("a run is in progress in another Hox");
    expect([line(null), line(null, 2), line("paused")].join()).not.toContain("goes on");
  });

  it("is interrupted by closing only where this host works and a run is not over", () => {
    expect(runsInterrupted(view({ runs: [run(), run({ id: "s", endedAt: 1 })] }))).toHaveLength(1);
    expect(runsInterrupted(view({ lockedBy: "process 7", runs: [run()] }))).toEqual([]);
  });
});
