import { describe, expect, it, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { currentStep, runLine, stepsOf } from "./stages.ts";

const run = (patch: object): RunView =>
  ({
    ...{
      id: "r",
      stage: "executing",
      phase: 0,
      workers: [],
      awaiting: [],
      plan: null,
      paused: "no",
      endedAt: null,
    },
    ...patch,
  }) as unknown as RunView;
const trouble = {
  kind: "trouble",
  id: "t",
  run: "r",
  title: "The provider refuses the key",
} as unknown as InboxItem;

test("a run that is blocked by trouble says so instead of its stage", () => {
  expect(runLine(run({}), [trouble])).toBe("Waiting for you: problem");
  expect(runLine(run({}), [])).toBe("Writing contracts");
});

test("trouble of one agent does not stop the run while another one works", () => {
  expect(runLine(run({ workers: [{ state: "tools" }] }), [trouble])).toBe("Writing contracts");
});

const pattern = { kind: "pattern", id: "p", run: "r" } as unknown as InboxItem;

test("between a pattern's approval and the landing the line says what is done, and not what was", () => {
  const learning = (patch: object = {}): RunView => run({ stage: "learning", ...patch });
  expect(runLine(learning({ workers: [{ state: "thinking" }] }))).toBe("Looking for patterns");
  expect(runLine(learning({ workers: [{ state: "waiting" }], awaiting: ["p"] }), [pattern])).toBe(
    "Pattern ready for your review",
  );
  expect(runLine(learning({ workers: [{ state: "waiting" }] }))).toBe("Recording patterns and metrics");
  expect(runLine(run({ stage: "landing" }))).toBe("Preparing to land the result");
});

test("says that a card waits only while that card is in the inbox", () => {
  const card = (kind: string, more: object = {}): readonly InboxItem[] => [
    { kind, id: "c", run: "r", ...more } as unknown as InboxItem,
  ];
  const planning = run({ stage: "planning", plan: { phases: [] }, planApproved: false });
  expect(runLine(planning, card("plan"))).toBe("Plan ready for your review");
  expect(runLine(planning, []), "it was rejected").toBe("Planning");
  expect(runLine(planning, card("plan", { run: "other" })), "another run's").toBe("Planning");
  expect(runLine({ ...planning, awaiting: ["c"] }, card("preflight"))).toBe("Waiting for you: preflight");
  const landing = run({ stage: "landing" });
  expect(runLine(landing, card("land"))).toBe("Result ready for your review");
  expect(runLine(landing, [])).toBe("Preparing to land the result");
  const asks = run({ stage: "executing", phase: 1, awaiting: ["c"] });
  expect(runLine(asks, card("align-request"))).toBe("Waiting for your answer");
  expect(runLine(asks, card("attempts"))).toBe("Waiting: choose an attempt");
});

test("a run that was stopped before its plan was approved has not passed the step Plan", () => {
  const stopped = run({ stage: "stopped", endedAt: 1, base: "b", planApproved: false });
  expect(currentStep(stopped)).toBe("plan");
  expect(currentStep({ ...stopped, planApproved: true })).toBe("contracts");
});

describe("a watch", () => {
  const watch = (patch: object = {}): RunView => run({ stage: "watching", isWatch: true, ...patch });
  it("has no steps, and its line says whether it reviews, waits or has spent the day's budget", () => {
    expect(stepsOf(watch())).toEqual([]);
    expect(runLine(watch())).toBe("Waiting for a session's next turn");
    expect(runLine(watch({ workers: [{ state: "thinking" }] }))).toBe("Reviewing a session");
    expect(runLine(watch({ watchBudget: { microDollars: 2, limit: 1, isSpent: true } }))).toBe(
      "Today’s budget is used up; reviews resume at midnight",
    );
    expect(runLine(watch({ stage: "stopped", endedAt: 1 }))).toBe("Ended; the comments are kept");
  });
});
