import { expect, it } from "vitest";
import type { InboxItem } from "../cards.ts";
import { repeatLines, repeatOf } from "./repeated-answer.ts";

const card = (title: string, worker = "agent-1") =>
  ({
    ...{ kind: "trouble", title, detail: "pytest failed", remedy: "", worker, task: true },
    checks: [{ name: "pytest", command: "pytest -q", outcome: "failed" }],
    ...{ id: "", run: "", at: 0, nonce: "", shown: "" },
  }) as const satisfies InboxItem;
const retried = (item: InboxItem) => ({ item, decision: { kind: "retry" } as const });

it("warns of the same answer given again and again, and names the other ones", () => {
  const again = card("It did not finish");
  expect(repeatOf([retried(again), retried(again)], again)).toEqual({});
  const { repeat } = repeatOf([retried(again), retried(again), retried(again)], again);
  expect(repeat).toEqual({ times: 3, answer: "retry" });
  const lines = repeatLines({ ...again, ...(repeat ? { repeat } : {}) });
  expect(lines[0]).toBe("You answered this 3 times with “y” (retries), and the problem came back each time.");
  expect(lines.slice(2).map((line) => line.trim().split(":")[0])).toEqual([
    ...["pause", "abandon", "out test", "change test to npm run test"],
  ]);
});

it("counts only the same answer to the same question, one after the other", () => {
  const again = card("It did not finish");
  const other = [retried(card("It is blocked")), retried(card("It did not finish", "agent-2"))];
  expect(repeatOf([...other, retried(again), retried(again)], again)).toEqual({});
  const held = { item: again, decision: { kind: "pause" } as const };
  expect(repeatOf([retried(again), held, retried(again), retried(again)], again)).toEqual({});
  expect(repeatLines(again)).toEqual([]);
});
