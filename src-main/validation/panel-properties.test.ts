/** What must hold of every panel, whatever whoever sits on it says, and whenever a crash comes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { approvalsNeeded, quorum, tolerated } from "#shared/domain/validation/panel.ts";
import { maxReplacements } from "#shared/domain/validation/rounds.ts";
import { type SeatAnswer, scriptedSeats, secretOf } from "./testing/scripted-seats.ts";
import { validate } from "./validate.ts";
import type { CastVote } from "./validation-interface.ts";

const answer = fc.constantFrom<SeatAnswer>(
  ...([
    "approve",
    "approve",
    "reject",
    "abstain",
    "forged",
    "nonsense",
    "silent",
    "refused",
    "failed",
  ] as const),
);
const threshold = fc.option(fc.double({ min: 0.05, max: 1, noNaN: true }), { freq: 2 });
/** For each seat what its holders say, one after the other. */
const table = fc
  .integer({ min: 1, max: 8 })
  .chain((n) => fc.array(fc.array(answer, { minLength: 3, maxLength: 3 }), { minLength: n, maxLength: n }));
type Table = readonly (readonly SeatAnswer[])[];

const answersOf =
  (answers: Table) =>
  (seat: string, replacement: number): SeatAnswer =>
    answers[Number(seat.split("-")[1]) - 1]?.[replacement] ?? "silent";

/** Everything that was kept on the way, one state for each vote. */
async function judged(answers: Table, more: Partial<Parameters<typeof scriptedSeats>[1]> = {}) {
  const kept: (readonly CastVote[])[] = [];
  const { options, asked } = scriptedSeats(answersOf(answers), {
    seats: answers.length,
    onVote: (_view, votes) => kept.push(votes),
    ...more,
  });
  const outcome = await validate(options);
  return { ...outcome, kept, asked };
}

test("only enough approvals approve, no seat votes twice, and none sees another", async () => {
  await fc.assert(
    fc.asyncProperty(table, threshold, async (answers, share) => {
      const { view, votes, asked } = await judged(answers, { threshold: share });
      const needed = approvalsNeeded(answers.length, share);
      const yes = view.seats.filter((seat) => seat.vote === "approve").length;
      const no = view.seats.filter((seat) => seat.vote === "reject").length;
      expect(view.seats).toHaveLength(answers.length);
      expect(view.quorum).toBe(needed);
      expect(needed).toBeGreaterThanOrEqual(quorum(answers.length));
      expect(view.verdict).toBe(
        yes >= needed ? "approved" : no > answers.length - needed ? "rejected" : "undecided",
      );
      const holders = votes.map(({ seat, replacement }) => `${seat}/${replacement}`);
      expect(new Set(holders).size).toBe(holders.length);
      for (const { seat, replacement } of votes) {
        expect(replacement).toBeLessThanOrEqual(maxReplacements);
        const earlier = votes.filter((vote) => vote.seat === seat && vote.replacement < replacement);
        expect(earlier.map(({ vote }) => vote)).not.toContain("approve");
        expect(earlier.map(({ vote }) => vote)).not.toContain("reject");
      }
      // A user is asked only where every seat that said nothing was given away as often as it may be.
      if (view.verdict === "undecided")
        for (const { seat, vote } of view.seats)
          if (vote !== "approve" && vote !== "reject")
            expect(holders).toContain(`${seat}/${maxReplacements}`);
      for (const { prompt } of asked) expect(prompt).not.toContain(secretOf("validator").slice(0, -1));
    }),
    { numRuns: 60 },
  );
});

test("whatever at most f seats vote or withhold, the others decide", async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom<SeatAnswer>("approve", "reject"), async (answers, honest) => {
      const f = tolerated(answers.length);
      const faulty = answers.map((own, at) => (at < f ? own : [honest, honest, honest]));
      const { view } = await judged(faulty);
      expect(view.verdict).toBe(honest === "approve" ? "approved" : "rejected");
    }),
    { numRuns: 40 },
  );
});

test("a crash at any vote gives the same result, and no seat is asked twice", async () => {
  await fc.assert(
    fc.asyncProperty(table, threshold, fc.nat(), async (answers, share, at) => {
      const whole = await judged(answers, { threshold: share });
      const votes = whole.kept[at % whole.kept.length] ?? [];
      const rest = await judged(answers, { threshold: share, earlier: { votes, checks: [] } });
      expect(rest.view.verdict).toBe(whole.view.verdict);
      // A seat that said nothing may be given away once more or once less: it is decided at another moment, not otherwise.
      for (const [at, seat] of rest.view.seats.entries())
        if (seat.counted && whole.view.seats[at]?.counted) expect(seat).toEqual(whole.view.seats[at]);
      const spoken = new Set(votes.map(({ seat, replacement }) => `${seat}/${replacement}`));
      expect(rest.asked.filter(({ seat, replacement }) => spoken.has(`${seat}/${replacement}`))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test("votes in any order, repeated, on other things, of unknown seats or after a seat's final vote change nothing", async () => {
  const turned = (vote: CastVote["vote"]): CastVote["vote"] => (vote === "approve" ? "reject" : "approve");
  await fc.assert(
    fc.asyncProperty(table, fc.infiniteStream(fc.nat()), async (answers, numbers) => {
      const { view, votes } = await judged(answers);
      const other = (vote: CastVote): readonly CastVote[] => [
        { ...vote, vote: turned(vote.vote), commit: "f".repeat(40) },
        { ...vote, vote: turned(vote.vote), attempt: 2 },
        { ...vote, vote: turned(vote.vote), run: "run-2" },
        { ...vote, vote: turned(vote.vote), promptHash: "0".repeat(64) },
        { ...vote, vote: "approve", seat: `validator-${answers.length + 1}` },
        { ...vote, vote: "approve", replacement: maxReplacements + 1 },
        ...(vote.vote === "approve" || vote.vote === "reject"
          ? [{ ...vote, vote: turned(vote.vote), replacement: vote.replacement + 1 }]
          : []),
      ];
      const noise = [...votes.flatMap(other), ...votes];
      const order = new Map([...votes, ...noise].map((vote) => [vote, numbers.next().value]));
      const shuffled = [...order.keys()].toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
      const again = await judged(answers, { earlier: { votes: shuffled, checks: [] } });
      expect(again.view.seats).toEqual(view.seats);
      expect(again.view.verdict).toBe(view.verdict);
      expect(again.asked).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test("an approval after a seat's time limit does not count", async () => {
  const answers: Table = [["late", "late", "late"], ...Array(3).fill(["approve", "approve", "approve"])];
  const { view, votes } = await judged(answers, { seatTimeoutMs: 20 });
  expect(view.seats[0]).toMatchObject({ vote: "timed-out", counted: false });
  expect(view.verdict).toBe("approved");
  expect(votes).toHaveLength(4);
});

test("a failed check outweighs every approval, and no seat is asked", async () => {
  await fc.assert(
    fc.asyncProperty(table, async (answers) => {
      const failed = {
        name: "t",
        command: "t",
        speed: "slow",
        outcome: "failed",
        ms: 1,
        output: "",
      } as const;
      const { view, asked } = await judged(answers, { runChecks: async () => [failed] });
      expect(view.verdict).toBe("vetoed");
      expect(asked).toEqual([]);
    }),
    { numRuns: 20 },
  );
});
