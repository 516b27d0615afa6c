import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "#shared/run/events.ts";
import { tempDir } from "../testing/kit.ts";
import { type Journal, openJournal } from "./journal.ts";
import { readJournal } from "./read-journal.ts";
import { runInput } from "./testing/run-input.ts";

let folder: string;
let path: string;
let journal: Journal;
beforeEach(() => {
  folder = tempDir();
  path = join(folder, "journal.sqlite");
  journal = openJournal(path, () => 1);
});
afterEach(() => {
  journal.close();
});

const addRun = (id: string, rehearsal: string | null = null): void =>
  journal.addRun(id, { ...runInput, rehearsal });
const votes = (verdict: string) => ({
  kind: "VotesCounted",
  validation: {
    ...{ commitId: "c", attempt: 1, verdict, strategy: "dedicated_validators" },
    seats: [{ seat: "validator-1", evidence: "result", model: "a" }],
    checks: [{ name: "test", output: "a long output" }],
  },
});
const add = (run: string, ...events: readonly { readonly kind: string }[]): void => {
  for (const event of events) journal.addEvent(run, event as RunEvent);
};
const outcomes = () => journal.verdicts().map(({ run, outcome }) => [run, outcome]);

describe("verdicts", () => {
  it("lists the outcomes of the verdicts of every run but rehearsals", () => {
    addRun("one");
    addRun("two");
    addRun("scripted", "profiles");
    add("two", votes("rejected"));
    journal.setStage("two", "failed", true);
    add("one", votes("open"), { kind: "NoteTaken" }, votes("approved"), { kind: "ResultLanded" });
    add("scripted", votes("approved"), { kind: "ResultLanded" });
    expect(outcomes()).toEqual([
      ["one", "landed"],
      ["two", "rejected"],
    ]);
    expect(journal.verdicts()[0]?.panel).toEqual({
      strategy: "dedicated_validators",
      seats: [{ seat: "validator-1", evidence: "result", model: "a" }],
    });
  });

  it("follows later events, and reads the same from a second connection", () => {
    expect(outcomes()).toEqual([]);
    addRun("one");
    add("one", votes("approved"));
    expect(outcomes()).toEqual([]);
    add("one", { kind: "ResultLanded" });
    expect(outcomes()).toEqual([["one", "landed"]]);
    add("one", { kind: "LandingUndone" });
    expect(outcomes()).toEqual([["one", "undone"]]);
    const reader = readJournal(path);
    expect(reader?.verdicts()).toEqual(journal.verdicts());
    reader?.close();
  });

  it("counts the last rejection once its run has ended", () => {
    addRun("one");
    add("one", votes("rejected"));
    expect(outcomes()).toEqual([]);
    journal.setStage("one", "stopped", true);
    expect(outcomes()).toEqual([["one", "rejected"]]);
  });
});
