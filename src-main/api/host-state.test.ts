import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { openJournal } from "../journal/journal.ts";
import { runInput } from "../journal/testing/run-input.ts";
import { tempDir } from "../testing/kit.ts";
import { createUnfinishedRuns } from "./host-state.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

it("returns the unfinished run, and none when there is none", () => {
  const asked: string[] = [];
  const unfinished = createUnfinishedRuns((root) => {
    asked.push(root);
    return folder;
  });
  expect(unfinished("/project")).toBeNull();
  const journal = openJournal(join(folder, "journal.sqlite"), () => 1_000);
  try {
    journal.addRun("r", { ...runInput, goal: "Keep users" });
    journal.setStage("r", "executing", false);
    expect(unfinished("/project")).toEqual({ goal: "Keep users", waiting: 0, inOtherHost: null });
    // That a run is not over does not say that anybody works on it: a process has to, and none that has ended.
    const worked = (pid: number | null, paused: string) => {
      const status = { at: 0, pid, run: { endedAt: null, paused }, otherRuns: [], inbox: [] };
      writeFileSync(join(folder, "status.json"), JSON.stringify(status));
      return unfinished("/project")?.inOtherHost;
    };
    expect(worked(process.pid, "no")).toBe("goes-on");
    expect(worked(process.pid, "paused")).toBe("paused");
    expect([worked(null, "no"), worked(2 ** 22 + 1, "no")]).toEqual([null, null]);
    journal.setStage("r", "complete", true);
    expect(unfinished("/project")).toBeNull();
  } finally {
    journal.close();
  }
  expect(asked, "where its state is does not change").toEqual(["/project"]);
});

it("ignores an unreadable journal", () => {
  writeFileSync(join(folder, "journal.sqlite"), "no database");
  expect(createUnfinishedRuns(() => folder)("/project")).toBeNull();
});
