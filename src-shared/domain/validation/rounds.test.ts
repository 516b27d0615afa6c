import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import {
  countedVote,
  type FailedRound,
  isLost,
  maxReplacements,
  type RoundVote,
  reduceRounds,
  roundsBefore,
  type SeatVote,
  votesOfRound,
} from "./rounds.ts";

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
      repair: { askedBy: "user", words: "In one line.", summary: "Address." },
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

const answers = fc.constantFrom<SeatVote["vote"]>(
  "approve",
  "reject",
  "abstain",
  "error",
  "timed-out",
  "void",
);

test("approval and rejection are a seat's final vote, and an abstention passes to the next judge only", () => {
  const cast = (...output: readonly SeatVote["vote"][]): readonly SeatVote[] =>
    output.map((vote, replacement) => ({ vote, replacement }));
  expect(countedVote([])).toBeNull();
  expect(countedVote(cast("reject", "approve"))?.vote).toBe("reject");
  expect(countedVote(cast("error", "void", "approve"))).toEqual({ vote: "approve", replacement: 2 });
  expect(countedVote(cast("error", "timed-out", "abstain", "approve"))?.vote).toBe("abstain");
  // Nobody held the seat before it.
  expect(countedVote([{ vote: "approve", replacement: 1 }])).toBeNull();
});

test("the order of reading votes makes no difference, nor does reading one twice or a prefix of them", () => {
  fc.assert(
    fc.property(
      fc.array(answers, { maxLength: maxReplacements + 1 }),
      fc.infiniteStream(fc.nat()),
      (output, numbers) => {
        const cast = output.map((vote, replacement) => ({ vote, replacement }));
        const order = new Map(cast.map((one) => [one, numbers.next().value]));
        const shuffled = cast.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
        const whole = countedVote(cast);
        expect(countedVote([...shuffled, ...cast])).toEqual(whole);
        for (let count = 0; count <= cast.length; count++) {
          const prefix = countedVote(cast.slice(0, count));
          // What stood before as a yes or a no stands at the end.
          if (prefix !== null && !isLost(prefix)) expect(prefix).toEqual(whole);
        }
      },
    ),
  );
});
