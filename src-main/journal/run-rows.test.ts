import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { type Journal, openJournal } from "./journal.ts";
import type { KeptConversation } from "./run-rows.ts";
import { runInput } from "./testing/run-input.ts";

let folder: string;
let journal: Journal;
const path = () => join(folder, "journal.sqlite");
beforeEach(() => {
  folder = tempDir();
  journal = openJournal(path(), () => 1);
  journal.addRun("r", runInput);
});
afterEach(() => {
  journal.close();
});

const token = (...parts: readonly string[]) => ({ driver: "hox", parts });
const begin = (...parts: readonly string[]) =>
  journal.beginConversation("r", "agent-1", { key: "k", delivered: [], token: token(...parts) });
const keep = (iteration: number, most?: number) => {
  journal.keepConversation("r", "agent-1", { iteration, commit: `c${iteration}` }, most);
  journal.endConversation("r", "agent-1");
};
const kept = (iteration: number): KeptConversation => {
  const found = journal.keptConversation("r", "agent-1", iteration);
  if (found === null || found === "made-way") throw new Error(`Iteration ${iteration} is not kept.`);
  return found;
};

test("each answer keeps its original context after later compaction", () => {
  let iteration = 0;
  // Each turn first shortens some of what is there, as room is made before a request, and then the answer comes.
  const turns = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { maxLength: 12 });
  fc.assert(
    fc.property(turns, (shortened) => {
      iteration += 1;
      let now = ["task"];
      const asked = new Map<number, readonly string[]>();
      begin(...now);
      for (const [turn, places] of shortened.entries()) {
        const next = now.map((part, place) => (places.includes(place) ? `${part}-${turn}` : part));
        next.push(`answer ${turn}`);
        journal.growConversation(
          "r",
          "agent-1",
          "k",
          [...next.entries()].filter(([place, part]) => now[place] !== part),
        );
        asked.set(next.length, next);
        now = [...next, `results ${turn}`];
        journal.growConversation("r", "agent-1", "k", [[next.length, `results ${turn}`]]);
      }
      const open = journal.keptOpen("r", "agent-1");
      keep(iteration);
      const { token: end, at, commit } = kept(iteration);
      expect(end.parts).toEqual(now);
      expect(commit).toBe(`c${iteration}`);
      for (const [length, parts] of asked) {
        expect(at(length).parts).toEqual(parts);
        expect(open?.at(length).parts).toEqual(parts);
      }
    }),
    { numRuns: 40 },
  );
});

test("finished conversations are there after reopening, and a shared beginning is stored once", () => {
  begin("a long text", "another");
  keep(1);
  journal.keepHistory("r", "agent-2", 0, token("a long text", "another"));
  journal.close();
  journal = openJournal(path(), () => 1);
  expect(kept(1).token.parts).toEqual(["a long text", "another"]);
  const database = new DatabaseSync(path(), { readOnly: true });
  expect(database.prepare("SELECT count(*) AS n FROM kept_texts").get()?.n).toBe(2);
  database.close();
  expect(journal.keptConversation("r", "agent-1", 2)).toBeNull();
});

test("the oldest are removed for the newest, and known as removed", () => {
  for (const iteration of [1, 2, 3]) {
    begin(`text of ${iteration} `.repeat(10));
    keep(iteration, 260);
  }
  expect(journal.keptConversation("r", "agent-1", 1)).toBe("made-way");
  expect(kept(2).token.parts).toHaveLength(1);
  expect(kept(3).token.parts).toHaveLength(1);
});
