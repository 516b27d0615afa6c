import { describe, expect, it } from "vitest";
import type { RunListEntry } from "#shared/contract/views/run.ts";
import { comparedFigures, figuresLine, isMeant, outcomeOf } from "./run-facts.ts";

const run: RunListEntry = {
  id: "c5405aaa",
  goal: "Add user profiles",
  stage: "complete",
  startedAt: 1_000,
  endedAt: 61_000,
  microDollars: 200_000,
  model: "claude-sonnet",
  rehearsal: null,
  isQuick: false,
  endedBy: null,
  landed: { bookmark: "main", isTakenBack: false },
  agents: ["agent-1", "agent-2"],
  tasks: 2,
  tasksDone: 2,
  tokens: 5_000,
  workedMs: 40_000,
  conflicts: 0,
  questions: 1,
  repairRounds: 0,
  reworkedTasks: 0,
  score: null,
  waiting: 0,
};

describe("a run in the list", () => {
  it("says how it came out, the result before the stage", () => {
    expect(outcomeOf(run)).toEqual({ text: "landed on main", tone: "success" });
    expect(outcomeOf({ ...run, landed: { bookmark: "main", isTakenBack: true } }).text).toBe(
      "landing undone",
    );
    expect(outcomeOf({ ...run, landed: null, stage: "failed" }).tone).toBe("danger");
    expect(outcomeOf({ ...run, landed: null, stage: "executing", waiting: 2 }).text).toBe("waiting for you");
    expect(outcomeOf({ ...run, landed: null, stage: "executing" }).text).toBe("executing");
  });

  it("says of a watch that it ended, and counts no tasks of it", () => {
    const watch: RunListEntry = { ...run, landed: null, stage: "stopped", isWatch: true };
    expect(outcomeOf(watch)).toEqual({ text: "ended", tone: "neutral" });
    expect(figuresLine(watch, 0)).toMatch(/^session reviews · /u);
  });

  it("matches a search when it has all words, in any field and case", () => {
    expect(isMeant(run, "PROFILES agent-2")).toBe(true);
    expect(isMeant(run, "landed")).toBe(true);
    expect(isMeant(run, "c540")).toBe(true);
    expect(isMeant(run, "profiles agent-9")).toBe(false);
  });

  it("is compared figure by figure, and names the better one where there is one", () => {
    const dearer = { ...run, id: "two", microDollars: 300_000, questions: 3, score: 0.5, tasksDone: 1 };
    const figures = new Map(comparedFigures(run, dearer, 0).map((figure) => [figure.name, figure]));
    expect(figures.get("Cost")).toMatchObject({ better: 0, difference: "+$0.100 (+50 %)" });
    expect(figures.get("Tasks done")).toMatchObject({ better: 0, values: ["2", "1"] });
    expect(figures.get("Questions")?.better, "asking is neither good nor bad").toBeNull();
    expect(figures.get("Score")).toMatchObject({ values: ["–", "0.50"], better: null, difference: "" });
    expect(figures.get("Duration")).toMatchObject({ better: null, difference: "" });
  });
});
