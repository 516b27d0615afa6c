import { expect, test } from "vitest";
import type { LandingEvent } from "#shared/domain/landing/landing-events.ts";
import type { RestoredChange } from "#shared/graph/restored-graph.ts";
import type { RecordedRunRow } from "../../../../journal/run-rows.ts";
import { runInput } from "../../../../journal/testing/run-input.ts";
import { touchedRuns } from "./feature.ts";

const row = (id: string, root: string): RecordedRunRow => ({
  ...{ id, startedAt: 0, endedAt: 1, stage: "complete" },
  input: { ...runInput, goal: `goal of ${id}`, root },
});
const going = (id: string, root: string, ...workers: readonly string[]) => ({
  id,
  row: row(id, root),
  workers: new Map(workers.map((name) => [name, {} as never])),
});
const change = (run: string, how: RestoredChange["how"]): RestoredChange => ({
  ...{ changeId: `k${run}`, title: run, agent: null, run, from: "f", to: "t", files: [] },
  how,
});
/** A journal in which the run `landed` brought its result to main, and what became of that. */
const journalOf = (...fate: readonly LandingEvent[]) => ({
  runs: () => [row("begun", "O-A-3"), row("beside", "O-A-2"), row("landed", "O-A-1"), row("old", "O-A-1")],
  events: (run: string) =>
    run === "landed"
      ? [
          {
            kind: "ResultLanded" as const,
            move: { branch: "main", from: "a", commitId: "b", changeId: "kkkk", workers: {} },
          },
          ...fate,
        ].map((event) => ({ at: 0, event }))
      : [],
});
const journal = journalOf();

test("an active run that is touched ends, by its changes or by a workspace; a landed one is told", () => {
  const found = touchedRuns(
    {
      journal,
      allGoing: () => [going("begun", "O-A-3", "agent-1"), going("beside", "O-A-2", "agent-2")],
      shown: () => [],
    },
    {
      changes: [change("begun", "goes"), change("landed", "goes"), change("landed", "comes back")],
      bookmarks: [
        { name: "main", from: { commitId: "b", title: "result" }, to: { commitId: "a", title: "before" } },
      ],
    },
    { "agent-2": "same" },
    { "agent-2": "same" },
  );
  expect(found).toEqual([
    expect.objectContaining({ root: "O-A-3", becomes: "ends", loses: ["1 change of this run is removed."] }),
    expect.objectContaining({ root: "O-A-2", becomes: "stays", loses: [] }),
    expect.objectContaining({
      root: "O-A-1",
      goal: "goal of landed",
      becomes: "over",
      loses: [
        "It landed on main, which moves back.",
        "1 change of this run is removed.",
        "1 change of this run is restored.",
      ],
    }),
  ]);
  const [moved] = touchedRuns(
    { journal, allGoing: () => [going("beside", "O-A-2", "agent-2")], shown: () => [] },
    { changes: [], bookmarks: [] },
    { "agent-2": "now" },
    { "agent-2": "then" },
  );
  expect(moved).toMatchObject({ root: "O-A-2", becomes: "ends" });

  const [before, after] = [
    { commitId: "a", title: "before" },
    { commitId: "b", title: "result" },
  ];
  const forward = touchedRuns(
    { journal: journalOf({ kind: "LandingUndone", at: 1 }), allGoing: () => [], shown: () => [] },
    { changes: [], bookmarks: [{ name: "main", from: before, to: after }] },
    {},
    {},
  );
  expect(forward).toEqual([
    expect.objectContaining({ id: "landed", loses: ["Its landing on main is restored."] }),
  ]);
});
