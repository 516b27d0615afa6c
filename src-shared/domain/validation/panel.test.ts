import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evidenceKinds, minEarlierRuns, type PanelWishes, panelFor, validationStrategies } from "./panel.ts";
import { quorum, tolerated } from "./quorum.ts";

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
