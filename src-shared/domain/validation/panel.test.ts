import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  approvalsNeeded,
  type Ballot,
  evidenceKinds,
  minEarlierRuns,
  type PanelWishes,
  panelFor,
  quorum,
  tolerated,
  type Veto,
  type Vote,
  validationStrategies,
  verdict,
} from "./panel.ts";

const wishes: PanelWishes = {
  strategy: "dedicated_validators",
  seats: 4,
  models: [],
  hasDecisions: true,
  authors: [],
  earlierRuns: 0,
};
const authors = ["agent-1", "agent-2", "agent-3", "agent-10", "agent-4"].map((name, at) => ({
  name,
  model: `model-of-${name}`,
  lines: [40, 10, 10, 10, 90][at] ?? 0,
}));
const sides = (given: Partial<PanelWishes>): readonly string[] =>
  panelFor({ ...wishes, ...given }).seats.map(({ peer, evidence }) => peer ?? evidence);

describe("panel (HOX-7.1..7.3)", () => {
  it("distributes the sides over its seats, a single seat sees all, and none checks decisions without any", () => {
    expect(sides({ seats: 7 })).toEqual([...evidenceKinds, "specification", "diff"]);
    expect(sides({ seats: 6, hasDecisions: false })).toEqual([
      ...evidenceKinds.slice(0, 4),
      ...evidenceKinds.slice(0, 2),
    ]);
    expect(sides({ seats: 1 })).toEqual(["result"]);
    expect(panelFor({ ...wishes, models: ["a", "b", "c"] }).seats.map(({ model }) => model)).toEqual([
      "a",
      "b",
      "c",
      "a",
    ]);
  });

  it("gives peers one seat each, those who wrote least first, fills up with separate judges, and says so", () => {
    const strategy = "peer_review";
    expect(panelFor({ ...wishes, strategy, authors })).toMatchObject({
      strategy,
      notes: [],
      seats: ["agent-2", "agent-3", "agent-10", "agent-1"].map((peer) => ({
        peer,
        evidence: "others",
        model: `model-of-${peer}`,
      })),
    });
    const two = panelFor({ ...wishes, strategy, authors: authors.slice(0, 2) });
    expect(two.seats.map(({ peer, evidence }) => peer ?? evidence)).toEqual([
      ...["agent-2", "agent-1"],
      ...["specification", "diff"],
    ]);
    expect(two.notes).toEqual(["2 agents worked on it. Validators cast the other 2 votes."]);
    // One other judge sees all of it.
    expect(sides({ strategy, seats: 3, authors: authors.slice(0, 2) })).toEqual([
      ...["agent-2", "agent-1", "result"],
    ]);
  });

  it.each([
    [0, 4, "It contains no agent’s work."],
    [1, 4, "One agent wrote all of it"],
    [5, 1, "no agent may judge its own part"],
  ])("with %i agents and %i seats no peer judges, and that is said", (count, seats, words) => {
    const panel = panelFor({
      ...wishes,
      strategy: "peer_review",
      seats,
      authors: authors.slice(0, count),
    });
    expect(panel).toMatchObject({
      strategy: "dedicated_validators",
      notes: [expect.stringContaining(words)],
    });
    expect(panel.seats.every(({ peer }) => peer === null)).toBe(true);
  });

  it("compares with earlier runs if there are enough of them, and says so if not", () => {
    const strategy = "historical_compare";
    expect(panelFor({ ...wishes, strategy, earlierRuns: minEarlierRuns })).toMatchObject({
      strategy,
      notes: [],
    });
    expect(panelFor({ ...wishes, strategy, earlierRuns: 1 })).toMatchObject({
      strategy: "dedicated_validators",
      notes: [expect.stringContaining("This repository has 1 finished run to compare with; 3 are needed.")],
    });
  });

  it("has the requested number of seats, each with a unique name, and no agent on two of them", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...validationStrategies),
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: 0, max: 40 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 5 }),
        (strategy, seats, count, hasDecisions, earlierRuns) => {
          const panel = panelFor({
            ...wishes,
            ...{ strategy, seats, hasDecisions, earlierRuns },
            authors: Array.from({ length: count }, (_, at) => ({
              name: `agent-${at + 1}`,
              model: "m",
              lines: (at * 7) % 5,
            })),
          });
          expect(new Set(panel.seats.map(({ name }) => name)).size).toBe(seats);
          const peers = panel.seats.flatMap(({ peer }) => peer ?? []);
          expect(new Set(peers).size).toBe(peers.length);
          if (strategy !== panel.strategy) expect(panel.notes).toHaveLength(1);
        },
      ),
    );
  });

  it("of a peer panel, f liars and the one that may not judge its own part never approve it against the others", () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 200 }), (n) => {
        expect(tolerated(n) + 1).toBeLessThan(quorum(n));
        expect(n - tolerated(n) - 1).toBeGreaterThan(n - quorum(n));
      }),
    );
  });
});

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
