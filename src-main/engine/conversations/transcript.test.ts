import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Journal } from "../../journal/journal.ts";
import { createRecorder } from "./transcript.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function recorder() {
  const written: (readonly ConversationRow[])[] = [];
  const shown: (readonly ConversationRow[])[] = [];
  const recorded = createRecorder({
    journal: {
      rowCount: () => 0,
      setRows: (_run: string, _worker: string, rows: readonly ConversationRow[]) => written.push(rows),
    } as unknown as Journal,
    run: "run",
    worker: "agent-1",
    now: () => 0,
    emit: (event) => {
      if (event.kind === "conversation") shown.push(event.rows);
    },
    onError: (error) => {
      throw error;
    },
  });
  return { recorded, written, shown };
}

test("streamed text is on screen at once and in the journal once per second", () => {
  const { recorded, written, shown } = recorder();
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
