import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type OutsideTurnEvent,
  reduceSessionTurns,
  sessionKey,
  type TurnsOfSessions,
} from "./session-turns.ts";

test("whatever comes: a turn counts once, none takes the place of a later one, and no session touches another", () => {
  const event: fc.Arbitrary<OutsideTurnEvent> = fc.record({
    kind: fc.constant("OutsideTurnEnded" as const),
    session: fc.constantFrom("claude/a", "codex/a", "toString"),
    sessionKind: fc.constantFrom("claude", "codex"),
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
