import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { approvalsNeeded, type Ballot, quorum, tolerated, type Veto, type Vote, verdict } from "./quorum.ts";

const ballot: Ballot = { run: "r1", attempt: 1, commitId: "abc" };
const seats = ["specification", "diff", "tests", "attacker"];
const vote = (seat: string, answer: Vote["answer"], about: Partial<Ballot> = {}): Vote => ({
  ...ballot,
  ...about,
  seat,
  answer,
  reason: `${seat} says ${answer}`,
});

describe("quorum", () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 4],
    [6, 4],
    [7, 5],
    [10, 7],
    [13, 9],
  ])("of %i seats is %i", (n, q) => expect(quorum(n)).toBe(q));

  it("always shares an honest seat with any other quorum, and is reached without the faulty", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (n) => {
        expect(2 * quorum(n) - n).toBeGreaterThan(tolerated(n));
        expect(quorum(n)).toBeLessThanOrEqual(n - tolerated(n));
      }),
    );
  });
});

describe("approvals needed", () => {
  it.each([
    [4, 0.75, 3],
    [7, 0.75, 6],
    [7, 0.5, 5],
    [4, 1, 4],
    [6, 0.5, 4],
    [100, 0.07, 67],
    [100, 0.7, 70],
    [1, 0.01, 1],
  ])("of %i seats with a share of %d are %i", (n, share, needed) => {
    expect(approvalsNeeded(n, share)).toBe(needed);
  });

  it("are never fewer than safety needs, nor more than there are seats, and rise with the share", () => {
    const share = fc.double({ min: Number.MIN_VALUE, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), share, share, (n, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(approvalsNeeded(n, null)).toBe(quorum(n));
        expect(approvalsNeeded(n, low)).toBeGreaterThanOrEqual(quorum(n));
        expect(approvalsNeeded(n, high)).toBeGreaterThanOrEqual(approvalsNeeded(n, low));
        expect(approvalsNeeded(n, high)).toBeLessThanOrEqual(n);
        expect(approvalsNeeded(n, high) / n).toBeGreaterThanOrEqual(high - 1e-9);
      }),
    );
  });
});

describe("verdict", () => {
  it("requires the share's approvals, and rejects as soon as these are impossible", () => {
    const votes = seats.map((seat, at) => vote(seat, at === 0 ? "reject" : "approve"));
    expect(verdict(ballot, seats, votes, []).kind).toBe("approved");
    expect(verdict(ballot, seats, votes, [], 1)).toMatchObject({ kind: "rejected", by: ["specification"] });
    expect(verdict(ballot, seats, votes.slice(1), [], 1)).toEqual({ kind: "open", missing: 1 });
  });

  it("is the same in any order of votes", () => {
    const answers = fc.constantFrom<Vote["answer"]>("approve", "reject", "abstain", "error", "timed-out");
    fc.assert(
      fc.property(
        fc.array(answers, { minLength: 1, maxLength: 13 }),
        fc.infiniteStream(fc.nat()),
        fc.option(fc.double({ min: 0.1, max: 1, noNaN: true })),
        (output, numbers, share) => {
          const panel = output.map((_, at) => `seat-${at}`);
          const votes = output.map((answer, at) => vote(`seat-${at}`, answer));
          const order = new Map(votes.map((one) => [one, numbers.next().value]));
          const shuffled = votes.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
          const twice = [...shuffled, ...votes, vote("nobody's seat", "approve")];
          const first = verdict(ballot, panel, votes, [], share);
          expect(verdict(ballot, panel, twice, [], share).kind).toBe(first.kind);
        },
      ),
    );
  });

  it("approves at the quorum with one faulty seat", () => {
    const votes = [vote("diff", "approve"), vote("attacker", "reject"), vote("tests", "approve")];
    expect(verdict(ballot, seats, votes, [])).toEqual({ kind: "open", missing: 1 });
    expect(verdict(ballot, seats, [...votes, vote("specification", "approve")], [])).toEqual({
      kind: "approved",
      by: ["diff", "tests", "specification"],
    });
  });

  it("rejects as soon as the quorum is impossible", () => {
    const votes = [vote("diff", "reject"), vote("tests", "reject")];
    expect(verdict(ballot, seats, votes, [])).toEqual({
      kind: "rejected",
      by: ["diff", "tests"],
      reasons: ["diff says reject", "tests says reject"],
    });
  });

  it("does not count silence as an approval, and ends undecided when all have voted", () => {
    const votes = [vote("diff", "approve"), vote("tests", "approve"), vote("attacker", "timed-out")];
    expect(verdict(ballot, seats, votes, [])).toEqual({ kind: "open", missing: 1 });
    expect(verdict(ballot, seats, [...votes, vote("specification", "error")], [])).toMatchObject({
      kind: "undecided",
    });
    expect(verdict(ballot, [], [], [])).toEqual({ kind: "open", missing: 1 });
  });

  it("lets a failed check on this very commit veto any majority", () => {
    const votes = seats.map((seat) => vote(seat, "approve"));
    const veto: Veto = { ...ballot, check: "npm test", reason: "2 failed" };
    expect(verdict(ballot, seats, votes, [veto])).toMatchObject({ kind: "vetoed", check: "npm test" });
    expect(verdict(ballot, seats, votes, [{ ...veto, commitId: "older" }])).toMatchObject({
      kind: "approved",
    });
  });

  it("counts a seat once, its first vote, and nothing about other work or from other seats", () => {
    const votes = [
      vote("diff", "approve", { commitId: "older" }),
      vote("diff", "reject", { attempt: 2 }),
      vote("diff", "approve", { run: "r2" }),
      vote("stranger", "approve"),
      vote("diff", "reject"),
      vote("diff", "approve"),
    ];
    expect(verdict(ballot, ["diff"], votes, [])).toMatchObject({ kind: "rejected", by: ["diff"] });
    expect(verdict(ballot, seats, votes, [])).toEqual({ kind: "open", missing: quorum(seats.length) });
    expect(verdict(ballot, ["diff"], votes.slice(0, -2), [])).toEqual({ kind: "open", missing: 1 });
  });

  it("stays safe: no votes of at most f liars turn an honest majority around, and no late vote a verdict", () => {
    const answers = fc.constantFrom<Vote["answer"]>("approve", "reject", "abstain", "error", "timed-out");
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 13 }),
        fc.infiniteStream(answers),
        fc.boolean(),
        (n, lies, good) => {
          const panel = Array.from({ length: n }, (_, at) => `seat-${at}`);
          const f = tolerated(n);
          const honest = panel.slice(f).map((seat) => vote(seat, good ? "approve" : "reject"));
          const liars = panel
            .slice(0, f)
            .flatMap((seat) => [...lies.take(3)].map((answer) => vote(seat, answer)));
          expect(verdict(ballot, panel, [...liars, ...honest], []).kind).toBe(good ? "approved" : "rejected");
          expect(verdict(ballot, panel, [...honest, ...liars], []).kind).toBe(good ? "approved" : "rejected");
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...seats), answers), { maxLength: 12 }), (papers) => {
        let decided: string | undefined;
        for (let count = 0; count <= papers.length; count++) {
          const votes = papers.slice(0, count).map(([seat, answer]) => vote(seat, answer));
          const { kind } = verdict(ballot, seats, votes, []);
          if (decided !== undefined) expect(kind).toBe(decided);
          else if (kind !== "open") decided = kind;
        }
      }),
    );
  });
});
