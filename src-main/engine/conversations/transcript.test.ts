import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { createTranscripts } from "./transcript.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function recorders(refused: () => string | null = () => null) {
  const written: (readonly ConversationRow[])[] = [];
  const shown: (readonly ConversationRow[])[] = [];
  const failed: string[] = [];
  let transactions = 0;
  const recorderOf = createTranscripts({
    journal: {
      rowCount: () => 0,
      together(write) {
        write();
        transactions += 1;
      },
      setRows(_run, worker, rows) {
        if (worker === refused()) throw new Error("refused");
        written.push(rows);
      },
    },
    run: "run",
    now: () => 0,
    emit: (event) => {
      if (event.kind === "conversation") shown.push(event.rows);
    },
    onError: (worker) => failed.push(worker),
  });
  return { recorderOf, written, shown, failed, transactions: () => transactions };
}

test("streamed text is on screen at once and in the journal once per second", () => {
  const { recorderOf, written, shown } = recorders();
  const recorded = recorderOf("agent-1");
  for (let piece = 0; piece < 200; piece++) {
    recorded.entry({ kind: "text", text: `${piece} ` });
    vi.advanceTimersByTime(10);
  }
  expect(shown.length).toBeGreaterThan(40);
  expect(written).toHaveLength(2);
  recorded.entry({ kind: "notice", text: "the end" });
  recorded.flush();
  expect(written.at(-1)).toEqual(shown.at(-1));
  const kept = new Map(written.flat().map((row) => [row.index, row]));
  expect([...kept.values()]).toMatchObject([
    { index: 0, text: Array.from({ length: 200 }, (_, piece) => `${piece} `).join("") },
    { index: 1, text: "the end" },
  ]);
  vi.advanceTimersByTime(5_000);
  expect(written).toHaveLength(3);
});

test("rows of all workers are written together, and apart where one's are refused", () => {
  let refused: string | null = null;
  const { recorderOf, written, failed, transactions } = recorders(() => refused);
  const all = Array.from({ length: 50 }, (_, at) => recorderOf(`agent-${at}`));
  const speak = (text: string): void => {
    for (const one of all) one.entry({ kind: "notice", text });
  };
  speak("first");
  vi.advanceTimersByTime(1_000);
  expect([transactions(), written.length]).toEqual([1, 50]);

  refused = "agent-7";
  written.length = 0;
  speak("second");
  vi.advanceTimersByTime(1_000);
  expect(written.flat().filter(({ index }) => index === 1).length).toBeGreaterThanOrEqual(49);
  expect(failed).toEqual([]);
  vi.advanceTimersByTime(5_000);
  expect(failed).toEqual(["agent-7"]);
  refused = null;
  written.length = 0;
  speak("third");
  vi.advanceTimersByTime(1_000);
  expect(
    written
      .flat()
      .map(({ index }) => index)
      .toSorted(),
  ).toEqual([1, ...all.map(() => 2)]);
});
