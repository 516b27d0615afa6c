import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  byLikeness,
  type PanelMakeup,
  type RecordedVerdict,
  trustIn,
  trustLine,
  type VerdictEvent,
  type VerdictOutcome,
  verdictsIn,
} from "./panel-trust.ts";

const seatsOf = (...models: readonly string[]) =>
  models.map((model, at) => ({ seat: `validator-${at + 1}`, evidence: "diff", model }));
const panelOf = (...models: readonly string[]): PanelMakeup => ({
  strategy: "dedicated_validators",
  seats: seatsOf(...models),
});
type Verdict = Extract<VerdictEvent, { kind: "VotesCounted" }>["validation"]["verdict"];
const votes = (verdict: Verdict, attempt = 1, overruled?: object): VerdictEvent => ({
  kind: "VotesCounted",
  validation: {
    ...{ verdict, attempt, commitId: `commit-${attempt}`, seats: seatsOf("a", "b") },
    ...(overruled === undefined ? {} : { overruled }),
  },
});
const landed: VerdictEvent = { kind: "ResultLanded" };
const undone: VerdictEvent = { kind: "LandingUndone" };
const reverted: VerdictEvent = { kind: "LandingReverted" };
const reopened: VerdictEvent = { kind: "ResultReturned" };
const overruled = votes("rejected", 1, { reason: "It is fine." });

const outcomesOf = (events: readonly VerdictEvent[], isOver = true): readonly VerdictOutcome[] =>
  verdictsIn(events, isOver).map(({ outcome }) => outcome);

describe("verdictsIn", () => {
  it.each<[string, readonly VerdictEvent[], readonly VerdictOutcome[]]>([
    ["an approval that landed", [votes("open"), votes("approved"), landed], ["landed"]],
    ["an approval whose landing was undone", [votes("approved"), landed, undone], ["undone"]],
    [
      "an approval whose landing was undone and restored",
      [votes("approved"), landed, undone, { kind: "LandingRedone" }],
      ["landed"],
    ],
    ["an approval that was reverted", [votes("approved"), landed, reverted], ["reverted"]],
    [
      "an approval that the user reopened, and the one after the repair",
      [votes("approved"), reopened, votes("approved", 2), landed],
      ["reopened", "landed"],
    ],
    [
      "a rejection that was repaired",
      [votes("rejected"), votes("approved", 2), landed],
      ["rejected", "landed"],
    ],
    ["a rejection that the user overruled", [votes("rejected"), overruled, landed], ["overruled"]],
    ["an overruled rejection that was undone", [overruled, landed, undone], ["rejected"]],
    ["an overruled rejection that was reverted", [overruled, landed, reverted], ["rejected"]],
    [
      "no panel where the user overruled a failed check",
      [votes("rejected"), votes("vetoed", 2), votes("vetoed", 2, {}), landed],
      ["rejected"],
    ],
    ["nothing for an approval that never landed", [votes("approved")], []],
    ["nothing without a verdict", [votes("open"), votes("undecided"), landed, undone], []],
  ])("finds %s", (_, events, expected) => {
    expect(outcomesOf(events)).toEqual(expected);
  });

  it("counts a verdict once, however many votes arrive after it is certain", () => {
    expect(outcomesOf([votes("approved"), votes("approved"), landed])).toEqual(["landed"]);
    expect(outcomesOf([votes("rejected"), votes("rejected")])).toEqual(["rejected"]);
  });

  it("waits for the user's answer to the last rejection while the run is active", () => {
    expect(outcomesOf([votes("rejected")], false)).toEqual([]);
    expect(outcomesOf([votes("rejected"), votes("open", 2)], false)).toEqual(["rejected"]);
    expect(outcomesOf([votes("rejected"), overruled], false)).toEqual(["overruled"]);
  });

  it("never finds more outcomes than verdicts, whatever the events", () => {
    const verdict = fc.constantFrom<Verdict>("open", "approved", "rejected", "vetoed", "undecided");
    const event = fc.oneof(
      fc.tuple(verdict, fc.integer({ min: 1, max: 3 })).map(([one, attempt]) => votes(one, attempt)),
      fc.constantFrom(landed, undone, reverted, reopened),
    );
    fc.assert(
      fc.property(fc.array(event), fc.boolean(), (events, isOver) => {
        const given = events.flatMap((one) =>
          one.kind === "VotesCounted" && ["approved", "rejected"].includes(one.validation.verdict)
            ? [one.validation.commitId]
            : [],
        );
        expect(outcomesOf(events, isOver).length).toBeLessThanOrEqual(new Set(given).size);
      }),
    );
  });
});

const recorded = (
  outcomes: readonly VerdictOutcome[],
  panel = panelOf("a", "b"),
): readonly RecordedVerdict[] => outcomes.map((outcome, at) => ({ run: `run-${at}`, panel, outcome }));
const times = (count: number, outcome: VerdictOutcome): readonly VerdictOutcome[] =>
  Array.from({ length: count }, () => outcome);

describe("trustIn", () => {
  it("counts the verdicts of the same panel in other runs", () => {
    const verdicts = recorded([
      "landed",
      "undone",
      "reverted",
      "reopened",
      "rejected",
      "overruled",
      "landed",
    ]);
    expect(trustIn(verdicts, panelOf("b", "a"), "run-0")).toEqual({
      ...{ approved: 4, undone: 1, reverted: 1, reopened: 1 },
      ...{ rejected: 2, overruled: 1 },
    });
  });

  it("leaves out panels with other models, another size or another strategy", () => {
    const verdicts = [
      ...recorded(["landed"], panelOf("a", "c")),
      ...recorded(["landed"], panelOf("a", "b", "b")),
      ...recorded(["landed"], { ...panelOf("a", "b"), strategy: "peer_review" }),
    ];
    expect(trustIn(verdicts, panelOf("a", "b"))).toMatchObject({ approved: 0, rejected: 0 });
  });
});

describe("trustLine", () => {
  const lineOf = (outcomes: readonly VerdictOutcome[]): string =>
    trustLine(trustIn(recorded(outcomes), panelOf("a", "b")));

  it("says that there is no track record without data", () => {
    expect(lineOf([])).toBe(
      "This panel has no track record here yet. It builds up as results land, are undone or are overruled.",
    );
  });

  it("says that fewer than ten verdicts are too few", () => {
    expect(lineOf(["landed", "undone", "overruled"])).toBe(
      "Track record of this panel: 2 approved (1 undone), 1 rejected (1 overruled). Fewer than 10 verdicts: too few to rely on.",
    );
  });

  it("gives only the counts from ten verdicts on", () => {
    expect(lineOf([...times(7, "landed"), "reverted", "reopened", ...times(3, "rejected")])).toBe(
      "Track record of this panel: 9 approved (1 reverted, 1 reopened), 3 rejected (none overruled).",
    );
    expect(lineOf(times(10, "landed"))).toBe(
      "Track record of this panel: 10 approved (none undone, reverted or reopened).",
    );
  });
});

test("goals with the same words come first, and newer ones before equally similar older ones", () => {
  const goals = [
    "Write the manual",
    "Add orders by mail",
    "",
    "Add the orders page",
    "Add orders to the page",
  ];
  expect(
    byLikeness(
      "Add an orders page",
      goals.map((goal) => ({ goal })),
    ).map(({ goal }) => goal),
  ).toEqual([
    ...["Add the orders page", "Add orders to the page", "Add orders by mail", "Write the manual", ""],
  ]);
});
