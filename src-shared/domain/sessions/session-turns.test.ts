import fc from "fast-check";
import { expect, test } from "vitest";
import {
  filesSince,
  type OutsideTurnEvent,
  reduceSessionTurns,
  sessionKey,
  type TurnsOfSessions,
} from "./outside-session.ts";

test("in any order of events a turn counts once, none replaces a later one, and no session affects another", () => {
  const event: fc.Arbitrary<OutsideTurnEvent> = fc.record({
    kind: fc.constant("OutsideTurnEnded" as const),
    session: fc.constantFrom("claude/a", "codex/a", "toString"),
    turn: fc.constantFrom("1", "2", "3"),
    files: fc.array(fc.string(), { maxLength: 2 }),
    workspaceOf: fc.constant(null),
    at: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: TurnsOfSessions = {};
      for (const one of events) {
        const after = reduceSessionTurns(before, one);
        expect(reduceSessionTurns(after, one)).toBe(after);
        for (const [key, turn] of Object.entries(before)) {
          if (key !== one.session) expect(after[key]).toBe(turn);
          else {
            expect(after[key]?.at).toBeGreaterThanOrEqual(turn.at);
            expect(after[key]?.nth).toBe(after === before ? turn.nth : turn.nth + 1);
          }
        }
        before = after;
      }
    }),
  );
  expect(sessionKey({ kind: "claude", id: "a" })).toBe("claude/a");
});

test("after missed turns the files of all of them are listed, each once", () => {
  const event = (nth: number): OutsideTurnEvent => ({
    kind: "OutsideTurnEnded",
    session: "claude/a",
    turn: `${nth}`,
    files: [`file-${nth}`, "both"],
    workspaceOf: null,
    at: nth,
  });
  const turn = Array.from({ length: 30 }, (_, at) => event(at + 1)).reduce<TurnsOfSessions>(
    reduceSessionTurns,
    {},
  )["claude/a"];
  if (turn === undefined) throw new Error("no turn");
  expect(filesSince(turn, 28)).toEqual(["file-29", "both", "file-30"]);
  expect(filesSince(turn, 30)).toEqual([]);
  // Of very many the oldest are forgotten.
  expect(filesSince(turn, 0)).toHaveLength(22);
});
