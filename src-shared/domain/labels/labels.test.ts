import fc from "fast-check";
import { expect, test } from "vitest";
import {
  alignQuestions,
  type LabelEvent,
  type LabelOfRun,
  labelOf,
  reduceLabels,
  rootsReached,
} from "./labels.ts";

const event: fc.Arbitrary<LabelEvent> = fc.oneof(
  fc
    .record({ key: fc.constantFrom("a", "b", "c"), changeId: fc.constantFrom("x", "y") })
    .map(({ key, changeId }) => ({
      kind: "LabelFound" as const,
      label: { key, changeId, kind: "message" as const, to: "O-A-1", title: key, text: key },
    })),
  fc.constantFrom("a", "b", "c").map((key) => ({ kind: "LabelSettled" as const, key })),
);

test("a label is applied once, and at most one of a change waits", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let labels: readonly LabelOfRun[] = [];
      for (const one of events) {
        const before = labels;
        labels = reduceLabels(before, one);
        expect(reduceLabels(labels, one)).toBe(labels);
        for (const { key } of before.filter(({ isSettled }) => isSettled))
          expect(labels.find((label) => label.key === key)?.isSettled).toBe(true);
        const open = labels.filter(({ isSettled }) => !isSettled);
        expect(new Set(open.map(({ changeId }) => changeId)).size).toBe(open.length);
      }
    }),
  );
});

const change = { changeId: "x", subject: "Ids are text", body: "" };
test("tells decisions, messages and other labels apart", () => {
  expect(labelOf({ ...change, metadata: { kind: "mutation" } })).toMatchObject({
    kind: "decision",
    to: null,
  });
  expect(labelOf({ ...change, metadata: { msgTo: "O-B-1/*", msgType: "mutation" } })).toMatchObject({
    kind: "decision",
    to: "O-B-1",
  });
  expect(labelOf({ ...change, body: "All of them.", metadata: { msgTo: "O-A-1/agent-2" } })).toEqual({
    changeId: "x",
    title: "Ids are text",
    kind: "message",
    to: "O-A-1/agent-2",
    text: "Ids are text\n\nAll of them.",
  });
  expect(labelOf({ ...change, metadata: { msgTo: "somebody" } })).toBe(null);
  expect(labelOf({ ...change, metadata: { kind: "message" } })).toBe(null);
  expect(labelOf({ ...change, metadata: { kind: "mutation", run: "r1" } })).toBe(null);
  expect(labelOf({ ...change, metadata: { kind: "mutation", status: "abandoned" } })).toBe(null);
});

test("questions are at the beginning of a line, each once", () => {
  expect(
    alignQuestions("Task\n\nALIGN: Which id?\r\nALIGN:  Which id?\n ALIGN: no\nALIGN:\nALIGN: And why?"),
  ).toEqual(["Which id?", "And why?"]);
});

test("an address reaches the run with a matching worker, and one with * every match", () => {
  const runs = [
    { root: "O-A-1", orchestrators: ["O-A-1", "O-B-1", "O-B-3"] },
    { root: "O-A-2", orchestrators: ["O-A-2", "O-B-2"] },
    // It has just begun.
    { root: "O-A-10", orchestrators: [] },
  ];
  const reached: Readonly<Record<string, readonly string[]>> = {
    "O-A-1": ["O-A-1"],
    "O-A-1/agent-2": ["O-A-1"],
    "O-A-10/*": ["O-A-10"],
    "O-B-2": ["O-A-2"],
    "O-B-3/agent-9": ["O-A-1"],
    "O-B-*/*": ["O-A-1", "O-A-2"],
    "O-A-*": ["O-A-1", "O-A-2", "O-A-10"],
    "O-*": ["O-A-1", "O-A-2", "O-A-10"],
    "O-B-4": [],
    somebody: [],
  };
  for (const [address, roots] of Object.entries(reached)) expect(rootsReached(address, runs)).toEqual(roots);
});
