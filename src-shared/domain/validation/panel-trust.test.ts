import { expect, test } from "vitest";
import { figuresOf, type JudgedSample } from "./calibration.ts";
import { differencesOf, type PanelMakeup, trustIn, trustLine, unmeasuredLine } from "./panel-trust.ts";

const panelOf = (n: number, model = "claude-x", strategy = "dedicated_validators"): PanelMakeup => ({
  strategy,
  seats: Array.from({ length: n }, (_, at) => ({ seat: `validator-${at + 1}`, evidence: "diff", model })),
});
const samples: readonly JudgedSample[] = [
  {
    planted: "off-by-one",
    verdict: "approved",
    votes: { "validator-1": "approve", "validator-2": "approve", "validator-3": "reject" },
  },
  {
    planted: "wrong-unit",
    verdict: "rejected",
    votes: { "validator-1": "reject", "validator-2": "reject", "validator-3": "reject" },
  },
];
const day = 86_400_000;
const measured = {
  at: 10 * day,
  panel: panelOf(3),
  figures: figuresOf(["validator-1", "validator-2", "validator-3"], samples),
  planted: 2,
  builtIn: 0,
};

test("a verdict is told how often its panel was wrong, what it is worth and when that was measured", () => {
  expect(trustLine(trustIn(measured, panelOf(3)), 13 * day)).toBe(
    "False approvals 1 of 2 (9–91 %), worth 1.8 of 3 votes, measured 3 days ago with claude-x.",
  );
  expect(trustLine(trustIn(measured, panelOf(3)), 10 * day + 5)).toContain("measured today");
  expect(trustLine(trustIn({ ...measured, builtIn: 1 }, panelOf(3)), 0)).toMatch(
    /with claude-x\. 1 of the 2 stood in the sample that comes with Hox\.$/,
  );
  // A clock that was set back.
  expect(trustLine(trustIn(measured, panelOf(3)), 0)).toContain("measured today");
  expect(trustLine(trustIn(null, panelOf(3)), 0)).toBe(unmeasuredLine);
});

test("figures of another panel say so, and in what it differs", () => {
  expect(differencesOf(panelOf(3), panelOf(3))).toEqual([]);
  expect(trustLine(trustIn(measured, panelOf(1, "claude-y", "peer_review")), 11 * day)).toMatch(
    /yesterday with claude-x\. That was another panel: it had 3 seats, and 1 judge here; it asked claude-x, not claude-y; it judged by dedicated_validators, not peer_review\.$/,
  );
  const mixed = (models: readonly string[]): PanelMakeup => ({
    strategy: "dedicated_validators",
    seats: models.map((model, at) => ({ seat: `validator-${at + 1}`, evidence: "diff", model })),
  });
  expect(differencesOf(mixed(["a", "b", "b"]), mixed(["a", "a", "b"]))).toEqual([
    "its models sat on other seats",
  ]);
});

test("where nobody erred, nothing is said of how seats err together", () => {
  const figures = figuresOf(["validator-1", "validator-2"], []);
  expect(
    trustLine(trustIn({ at: 0, panel: panelOf(2), figures, planted: 0, builtIn: 0 }, panelOf(2)), 0),
  ).toBe(
    "False approvals unknown: none was judged, 2 votes of which nobody knows how far they err together, measured today with claude-x.",
  );
});
