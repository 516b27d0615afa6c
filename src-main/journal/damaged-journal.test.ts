import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import { type Journal, openJournal } from "./journal.ts";
import { runInput } from "./testing/run-input.ts";

/** A journal as a killed host leaves it: the file, what is ahead of it, and how much of that was there when. */
interface Left {
  readonly path: string;
  /** Bytes of the write-ahead log when each event was acknowledged. */
  readonly walAt: readonly number[];
  readonly answered: ReadonlySet<string>;
  readonly sizes: { readonly main: number; readonly wal: number };
}

let folder: string;
const left: Left[] = [];

const card = (id: string): InboxItem => ({
  id,
  run: "r",
  at: 1,
  nonce: `n-${id}`,
  shown: "s",
  kind: "sandbox",
  description: "d",
});

/** One writer, copied while it is open after so many events: early, before its first checkpoint, and behind it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-damaged-"));
  const path = join(folder, "journal.sqlite");
  const journal = openJournal(path, () => 1);
  journal.addRun("r", runInput);
  const walAt: number[] = [];
  const answered = new Set<string>();
  for (let event = 0; event < 420; event++) {
    journal.together(() => {
      journal.addEvent("r", { kind: "TroubleAnswered", of: String(event) });
      journal.setConfig("r", { event, text: "x".repeat(3_000) });
      journal.setStep("r", `step/${event}`, event);
      journal.addInboxItem(card(String(event)));
      if (event % 2 === 0) journal.answerInboxItem(String(event), `n-${event}`, { kind: "approve" });
    });
    if (event % 2 === 0) answered.add(String(event));
    walAt.push(statSync(`${path}-wal`).size);
    if (![3, 60, 200, 419].includes(event)) continue;
    const copy = join(folder, `left-${event}.sqlite`);
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
    left.push({
      path: copy,
      walAt: [...walAt],
      answered: new Set(answered),
      sizes: { main: statSync(copy).size, wal: statSync(`${copy}-wal`).size },
    });
  }
  journal.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function opened<T>({ path }: Left, damage: (copy: string) => void, look: (journal: Journal) => T): T {
  const copy = join(folder, "opened.sqlite");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
  damage(copy);
  const journal = openJournal(copy, () => 2);
  try {
    return look(journal);
  } finally {
    journal.close();
  }
}

/** A beginning of what was written, each event with all that was written with it, and no answer that nobody gave. */
function expectWholeBeginning(journal: Journal, { answered }: Left): number {
  const events = journal.runs().length === 0 ? [] : journal.events("r");
  events.forEach(({ event }, place) => {
    expect(event).toEqual({ kind: "TroubleAnswered", of: String(place) });
    expect(journal.step("r", `step/${place}`)).toEqual({ result: place });
    const { decision } = journal.inboxItem(String(place)) ?? {};
    expect(decision).toEqual(answered.has(String(place)) ? { kind: "approve" } : null);
  });
  expect(journal.step("r", `step/${events.length}`)).toBeNull();
  expect(journal.inboxItem(String(events.length))).toBeNull();
  return events.length;
}

const isReported = (journal: Journal): boolean => journal.quarantine !== null || journal.hasLostEnd;

describe("a truncated journal opens with a complete prefix or none, and a loss is reported", () => {
  test("truncated anywhere in its write-ahead log: all that was confirmed before the cut is there", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.double({ min: 0, max: 1, noNaN: true }), (which, share) => {
        const one = left[which] as Left;
        const cut = Math.floor(one.sizes.wal * share);
        opened(
          one,
          (copy) => truncateSync(`${copy}-wal`, cut),
          (journal) => {
            const kept = expectWholeBeginning(journal, one);
            // Behind a checkpoint the log begins anew, and what it held before stands in the file.
            if (one.walAt.every((size, place) => place === 0 || size >= (one.walAt[place - 1] ?? 0)))
              expect(kept).toBeGreaterThanOrEqual(one.walAt.filter((size) => size <= cut).length);
            // Only a cut between two writes looks like a log that ends there.
            if (kept < one.walAt.length && (cut < 4_152 || (cut - 32) % 4_120 !== 0))
              expect(isReported(journal)).toBe(true);
          },
        );
      }),
      { numRuns: 60 },
    );
  });

  test("truncated anywhere in its file: nothing is missing, or it is set aside and reported", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.double({ min: 0, max: 1, noNaN: true }), (which, share) => {
        const one = left[which] as Left;
        opened(
          one,
          (copy) => truncateSync(copy, Math.floor(one.sizes.main * share)),
          (journal) => {
            const kept = expectWholeBeginning(journal, one);
            expect([one.walAt.length, 0]).toContain(kept);
            expect(journal.quarantine !== null).toBe(kept === 0);
            if (journal.quarantine !== null) expect(existsSync(journal.quarantine)).toBe(true);
          },
        );
      }),
      { numRuns: 60 },
    );
  });

  test("an empty file, and a write-ahead log without its file, are not a new journal", () => {
    for (const one of left) {
      for (const damage of [
        (copy: string) => truncateSync(copy, 0),
        (copy: string) => rmSync(copy),
        (copy: string) => {
          truncateSync(copy, 0);
          rmSync(`${copy}-wal`);
        },
      ])
        opened(one, damage, (journal) => {
          expect(journal.runs()).toEqual([]);
          expect(journal.quarantine).toContain(".damaged-");
        });
      // Its end is in the log alone.
      for (const damage of [
        (copy: string) => rmSync(`${copy}-wal`),
        (copy: string) => truncateSync(`${copy}-wal`, 0),
      ])
        opened(one, damage, (journal) => expect(isReported(journal)).toBe(true));
    }
  });

  test("an intact one reports nothing, whether its host was killed or closed it", () => {
    for (const one of left)
      opened(
        one,
        () => undefined,
        (journal) => {
          expect(expectWholeBeginning(journal, one)).toBe(one.walAt.length);
          expect(isReported(journal)).toBe(false);
        },
      );
    const again = openJournal(join(folder, "opened.sqlite"), () => 3);
    expect(isReported(again)).toBe(false);
    again.close();
  });
});
