import { expect, test } from "vitest";
import { type RoundEvent, reduceRounds } from "./failed-rounds.ts";

const failed = (attempt: number, reason: string): RoundEvent => ({
  kind: "VerdictFailed",
  attempt,
  verdict: "rejected",
  reasons: [reason],
});
const play = (...events: readonly RoundEvent[]) => events.reduce(reduceRounds, []);

test("each round holds what was wrong, who wanted it repaired, and what was", () => {
  expect(
    play(
      failed(1, "no mail"),
      { kind: "ResultRepaired", attempt: 1, summary: "Mail." },
      failed(2, "no address"),
      { kind: "RepairWorded", words: "In one line." },
      { kind: "ResultRepaired", attempt: 2, summary: "Address." },
    ),
  ).toEqual([
    {
      ...{ attempt: 1, verdict: "rejected", reasons: ["no mail"] },
      repair: { askedBy: "rule", words: "", summary: "Mail." },
    },
    {
      ...{ attempt: 2, verdict: "rejected", reasons: ["no address"] },
      repair: { askedBy: "person", words: "In one line.", summary: "Address." },
    },
  ]);
});

test("one that was judged anew stands once, and a repair that no verdict asked for says nothing", () => {
  expect(play(failed(1, "no mail"), failed(1, "no address"))).toMatchObject([{ reasons: ["no address"] }]);
  const before = play(failed(1, "no mail"));
  expect(reduceRounds(before, { kind: "ResultRepaired", attempt: 3, summary: "With main." })).toBe(before);
});
