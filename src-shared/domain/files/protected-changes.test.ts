import { array, assert, constant, constantFrom, oneof, property, record } from "fast-check";
import { expect, it } from "vitest";
import { judgeProtected, type ProtectedChangeEvent, protectedChanges } from "./protected-changes.ts";

const path = constantFrom("CLAUDE.md", ".npmrc", ".env");
const card = constantFrom("a", "b");
const event = oneof(
  record({
    kind: constant("TakenOut" as const),
    card,
    paths: array(path, { minLength: 1, maxLength: 3 }),
    commit: constantFrom("c1", "c2"),
  }),
  record({ kind: constantFrom("Allowed" as const, "LeftOut" as const), card }),
);

it("passes nothing that the user has not allowed, whatever came before", () => {
  assert(
    property(array(event), array(path), (events, paths) => {
      const verdict = judgeProtected(paths, protectedChanges(events));
      const allowed = events.some((one) => one.kind === "Allowed");
      if (!allowed) expect(verdict.takeOut).toEqual(paths);
      expect(verdict.takeOut.length + [...verdict.keep.values()].flat().length).toBe(paths.length);
      expect(verdict.takeOut).toEqual(expect.arrayContaining([...verdict.ask]));
    }),
  );
});

it("asks once about a path, keeps one version of what was allowed, and lets the last answer count", () => {
  const taken: ProtectedChangeEvent = {
    kind: "TakenOut",
    card: "a",
    paths: ["CLAUDE.md", ".env"],
    commit: "c1",
  };
  expect(judgeProtected(["CLAUDE.md"], protectedChanges([]))).toMatchObject({ ask: ["CLAUDE.md"] });
  expect(judgeProtected(["CLAUDE.md"], protectedChanges([taken]))).toMatchObject({
    takeOut: ["CLAUDE.md"],
    ask: [],
  });
  const allowed = protectedChanges([taken, { kind: "Allowed", card: "a" }]);
  expect(judgeProtected(["CLAUDE.md", ".npmrc"], allowed)).toEqual({
    takeOut: [".npmrc"],
    ask: [".npmrc"],
    keep: new Map([["c1", ["CLAUDE.md"]]]),
  });
  const denied = protectedChanges([taken, { kind: "LeftOut", card: "a" }]);
  expect(judgeProtected([".env"], denied)).toMatchObject({ takeOut: [".env"], ask: [] });
  const byHand = protectedChanges([taken, { kind: "WrittenByUser", paths: [".env"], commit: "c9" }]);
  expect(judgeProtected([".env"], byHand).keep).toEqual(new Map([["c9", [".env"]]]));
});
