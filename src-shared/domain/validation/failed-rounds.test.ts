import { expect, test } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import {
  type FailedRound,
  type RoundVote,
  reduceRounds,
  roundsBefore,
  votesOfRound,
} from "./failed-rounds.ts";

const failed = (attempt: number, reason: string): RunEvent => ({
  kind: "VerdictFailed",
  attempt,
  verdict: "rejected",
  reasons: [reason],
});
const play = (...events: readonly RunEvent[]) =>
  events.reduce<readonly FailedRound[]>((rounds, event) => reduceRounds(rounds, event, []), []);

test("each round has its failure, who requested the repair, and what was repaired", () => {
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

test("one that was judged again is listed once, and a repair without a verdict adds nothing", () => {
  expect(play(failed(1, "no mail"), failed(1, "no address"))).toMatchObject([{ reasons: ["no address"] }]);
  const before = play(failed(1, "no mail"));
  expect(reduceRounds(before, { kind: "ResultRepaired", attempt: 3, summary: "With main." }, [])).toBe(
    before,
  );
});

test("a round keeps every seat's vote, and nothing of a seat that was not asked", () => {
  const output = { seat: "validator-1", evidence: "diff", vote: "approve", reason: "It is there." } as const;
  const lost: RoundVote = {
    seat: "validator-2",
    ...{ evidence: "tests", vote: "timed-out", reason: "No vote.", judges: 3 },
  };
  const idle = { seat: "validator-3", evidence: "attacker", vote: "pending", reason: "" } as const;
  const votes = votesOfRound([{ ...output, ...{ model: "m", counted: true } }, lost, idle]);
  expect(votes).toEqual([output, lost]);
  const rounds = reduceRounds(reduceRounds([], failed(1, "no mail"), votes), failed(2, "no address"), []);
  expect(rounds.map((round) => round.votes)).toEqual([votes, undefined]);
  expect(roundsBefore(rounds, 2)).toEqual([rounds[0]]);
  expect(roundsBefore(rounds, 1)).toEqual([]);
});
