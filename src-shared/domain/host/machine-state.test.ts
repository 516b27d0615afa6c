import { expect, test } from "vitest";
import { diskState } from "./machine-state.ts";

const caps = { each: 10, all: 100 };

test("a cap warns from four fifths on and is full when it is reached", () => {
  expect(diskState(caps, { each: 7, all: 79 })).toEqual({ kind: "ok" });
  expect(diskState(caps, { each: 8, all: 8 })).toEqual({ kind: "near", of: "each", bytes: 8, cap: 10 });
  expect(diskState(caps, { each: 10, all: 10 })).toMatchObject({ kind: "full", of: "each" });
  expect(diskState(caps, { each: 1, all: 80 })).toMatchObject({ kind: "near", of: "all" });
});

test("full is reported before nearly full, and nothing without caps", () => {
  expect(diskState(caps, { each: 9, all: 100 })).toMatchObject({ kind: "full", of: "all" });
  expect(diskState(caps, { each: 11, all: 100 })).toMatchObject({ kind: "full", of: "each" });
  expect(diskState({ each: null, all: null }, { each: 1e15, all: 1e15 })).toEqual({ kind: "ok" });
});
