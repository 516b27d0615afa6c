import { expect, test } from "vitest";
import { findKeys, type HelpPlace } from "./keyboard-help.tsx";

const places: readonly HelpPlace[] = [
  {
    title: "Everywhere",
    lines: [
      { keys: "mod+k", what: "Command palette" },
      { keys: "mod+shift+z", what: "Redo the last undone edit" },
      { keys: "alt+1", what: "Graph as a log" },
      { keys: "mod+plus", what: "Keep it larger" },
    ],
  },
  {
    title: "In the queue",
    lines: [
      { keys: "ArrowUp", what: "the previous task" },
      { keys: "alt+ArrowUp", what: "move the task up" },
      { keys: "1", to: "4", what: "critical, high, medium or low priority" },
      { keys: "Delete", what: "remove the task" },
    ],
  },
];

const found = (typed: string): readonly string[] =>
  findKeys(places, typed).flatMap(({ lines }) => lines.map(({ what }) => what));

test("shows all keys in order without a search", () => {
  expect(findKeys(places, "  ")).toBe(places);
});

test("words of what a key does are found in any order, and so is where it works", () => {
  expect(found("palette")).toEqual(["Command palette"]);
  expect(found("UNDONE edit")).toEqual(["Redo the last undone edit"]);
  expect(findKeys(places, "queue").map(({ title }) => title)).toEqual(["In the queue"]);
  expect(found("queue")).toHaveLength(4);
  expect(found("palette task")).toEqual([]);
});

test("finds keys by label, by common name and as a combination", () => {
  expect(found("ctrl+k")).toEqual(["Command palette"]);
  expect(found("k")).toEqual(["Command palette"]);
  expect(found("ctrl shift")).toEqual(["Redo the last undone edit"]);
  expect(found("↑")).toEqual(["the previous task", "move the task up"]);
  expect(found("alt up")).toEqual(["move the task up"]);
  expect(found("del")).toEqual(["remove the task"]);
  expect(found("+")).toEqual(["Keep it larger"]);
  expect(found("alt+k")).toEqual([]);
});
