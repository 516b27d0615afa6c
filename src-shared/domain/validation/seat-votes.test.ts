import fc from "fast-check";
import { expect, test } from "vitest";
import { countedVote, isLost, maxReplacements, type SeatVote } from "./seat-votes.ts";

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
