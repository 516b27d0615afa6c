import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { explain } from "../engine/engine-errors.ts";
import { tempDir } from "../testing/kit.ts";
import { type Journal, openJournal } from "./journal.ts";
import { JournalVersionMismatch } from "./journal-database.ts";
import { runInput } from "./testing/run-input.ts";

let folder: string;
let journal: Journal;
const open = () => openJournal(join(folder, "deep", "journal.sqlite"), () => 1_000);

beforeEach(() => {
  folder = tempDir();
  journal = open();
  journal.addRun("r", runInput);
});
afterEach(() => {
  journal.close();
});

test("what was written is there after reopening", () => {
  const paused = { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "Pause" } } as const;
  journal.addEvent("r", paused);
  journal.setConfig("r", { models: 1 });
  journal.setConfig("r", { models: 2 });
  journal.addEvent("r", { kind: "WorkStarted", worker: "agent-1" }, 2_000);
  journal.setStep("r", "base", { changeId: "k" });
  journal.setRows("r", "agent-1", [{ index: 0, at: 5, kind: "text", text: "he" }]);
  journal.setRows("r", "agent-1", [{ index: 0, at: 5, kind: "text", text: "hello" }]);
  journal.close();
  journal = open();
  expect(journal.events("r")).toEqual([
    { at: 1_000, event: paused },
    { at: 2_000, event: { kind: "WorkStarted", worker: "agent-1" } },
  ]);
  expect(journal.config("r")).toEqual({ models: 2 });
  expect(journal.step("r", "base")).toEqual({ result: { changeId: "k" } });
  expect(journal.rows("r", "agent-1")).toEqual([{ index: 0, at: 5, kind: "text", text: "hello" }]);
  expect(journal.rowCount("r", "agent-1")).toBe(1);
});

test("costs only grow, with repeats, rollbacks and after reopening", () => {
  let runs = 0;
  const event = fc.record({
    request: fc.nat(6),
    microDollars: fc.nat(1_000),
    how: fc.constantFrom("alone", "together", "rolled back", "after opening again"),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (all) => {
      const run = `money-${runs++}`;
      journal.addRun(run, runInput);
      const charged = new Map<string, number>();
      let before = 0;
      for (const { request, microDollars, how } of all) {
        const id = `${run}/${request}`;
        const charge = () => journal.addSpending(run, "a", id, "m", { ...nothingSpent, microDollars });
        if (how === "after opening again") {
          journal.close();
          journal = open();
        }
        if (how === "rolled back") {
          const lost = () =>
            journal.together(() => {
              charge();
              throw new Error("lost");
            });
          expect(lost).toThrow("lost");
        } else {
          let fresh = false;
          if (how === "together")
            journal.together(() => {
              fresh = charge();
            });
          else fresh = charge();
          expect(fresh).toBe(!charged.has(id));
          if (fresh) charged.set(id, microDollars);
        }
        const now = microDollarsOf(journal, run);
        expect(now).toBeGreaterThanOrEqual(before);
        expect(now).toBe([...charged.values()].reduce((sum, one) => sum + one, 0));
        expect(journal.spending(run)).toHaveLength(charged.size);
        before = now;
      }
    }),
    { numRuns: 60 },
  );
});

const microDollarsOf = (from: Journal, run: string): number =>
  from.spending(run).reduce((sum, { spent }) => sum + spent.microDollars, 0);

/** What is in the way of mounting a small disk here, or null. */
function mountSmallDisk(at: string): string | null {
  mkdirSync(at);
  const { status, stderr, error } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "hox-test", at], {
    encoding: "utf8",
  });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

test("a write that SQLite rolls back, as on a full disk, stores nothing and reports why", () => {
  const path = join(folder, "deep", "journal.sqlite");
  const other = new DatabaseSync(path);
  other.exec(
    "CREATE TRIGGER full BEFORE INSERT ON steps WHEN NEW.step = 'large' BEGIN SELECT RAISE(ROLLBACK, 'disk is full'); END",
  );
  other.close();
  const write = () =>
    journal.together(() => {
      journal.setStep("r", "small", 1);
      journal.setStep("r", "large", 2);
    });
  expect(write).toThrow("disk is full");
  expect(journal.step("r", "small")).toBeNull();
  journal.setStep("r", "small", 3);
  expect(journal.step("r", "small")).toEqual({ result: 3 });
});

test("on a full disk confirmed data stays, and with room writing continues", (context) => {
  const disk = join(folder, "disk");
  const hindrance = mountSmallDisk(disk);
  context.skip(hindrance !== null, `not run, no disk can be mounted here: ${hindrance}`);
  const small = openJournal(join(disk, "journal.sqlite"), () => 1_000);
  try {
    small.addRun("r", runInput);
    const text = "x".repeat(4_000);
    let kept = 0;
    const fill = () => {
      for (; kept < 1_000; kept++)
        small.together(() => {
          small.addEvent("r", { kind: "TroubleAnswered", of: text });
          small.setStep("r", `whole/${kept}`, text);
        });
    };
    let failure: unknown;
    try {
      fill();
    } catch (error) {
      failure = error;
    }
    expect(explain(failure)).toMatchObject({
      message: expect.stringContaining("full"),
      remedy: expect.stringMatching(/^Free disk space/u),
    });
    expect(kept).toBeLessThan(1_000);
    const halves = () => small.events("r").length;
    expect(halves()).toBe(kept);
    expect(small.step("r", `whole/${kept - 1}`)).toEqual({ result: text });
    expect(small.step("r", `whole/${kept}`)).toBeNull();

    expect(spawnSync("mount", ["-o", "remount,size=8m", disk]).status).toBe(0);
    small.addEvent("r", { kind: "TroubleAnswered", of: text });
    expect(halves()).toBe(kept + 1);
  } finally {
    small.close();
    spawnSync("umount", [disk]);
  }
});

test("a request is charged once, a question is answered once", () => {
  const spent = { ...nothingSpent, microDollars: 7, requests: 1 };
  expect(journal.addSpending("r", "a", "q1", "m", spent)).toBe(true);
  expect(journal.addSpending("r", "a", "q1", "m", spent)).toBe(false);
  expect(microDollarsOf(journal, "r")).toBe(7);

  const item: InboxItem = {
    id: "i",
    run: "r",
    at: 1,
    nonce: "n",
    shown: "s",
    kind: "sandbox",
    description: "d",
  };
  journal.addInboxItem(item);
  expect(journal.answerInboxItem("i", "other", { kind: "retry" })).toBe(false);
  expect(journal.answerInboxItem("i", "n", { kind: "retry" })).toBe(true);
  expect(journal.answerInboxItem("i", "n", { kind: "retry" })).toBe(false);
  expect(journal.inboxItem("i")?.decision).toEqual({ kind: "retry" });
  expect(journal.openInbox("r")).toEqual([]);
});

test("a worker's conversation grows, is replaced by the next, and ends with the run", () => {
  const token = (...parts: readonly string[]) => ({ driver: "acp", parts });
  journal.beginConversation("r", "a", { key: "1", delivered: ["k"], token: token("one") });
  journal.growConversation("r", "a", "1", [
    [0, "one and a half"],
    [1, "two"],
  ]);
  journal.close();
  journal = open();
  const first = { key: "1", delivered: ["k"], token: token("one and a half", "two") };
  expect(journal.openConversation("r", "a")).toEqual(first);

  journal.beginConversation("r", "a", { key: "2", delivered: [], token: token("three") });
  // One that winds down late writes nothing into the next.
  journal.growConversation("r", "a", "1", [[2, "late"]]);
  expect(journal.openConversation("r", "a")?.token).toEqual(token("three"));

  journal.setStage("r", "stopped", true);
  journal.growConversation("r", "a", "2", [[1, "late"]]);
  expect(journal.openConversation("r", "a")).toBeNull();
});

test("a write that fails half-way leaves nothing", () => {
  expect(() =>
    journal.together(() => {
      journal.setStep("r", "half", 1);
      throw new Error("disk full");
    }),
  ).toThrow("disk full");
  expect(journal.step("r", "half")).toBeNull();
});

test("a damaged file is renamed, and a new journal is created", () => {
  journal.close();
  writeFileSync(journal.path, "this is no database, and it is long enough to be read as one".repeat(100));
  journal = open();
  expect(journal.quarantine).toContain("journal.sqlite.damaged-");
  expect(existsSync(journal.quarantine ?? "")).toBe(true);
  expect(readFileSync(journal.quarantine ?? "", "utf8")).toContain("this is no database");
  expect(journal.runs()).toEqual([]);
});

test("refuses a journal of another version and leaves it alone", () => {
  journal.close();
  const database = new DatabaseSync(journal.path);
  database.exec("PRAGMA user_version = 99");
  database.close();
  expect(open).toThrow(JournalVersionMismatch);
  const again = new DatabaseSync(journal.path);
  expect(again.prepare("SELECT count(*) AS n FROM runs").get()?.n).toBe(1);
  again.close();
});
