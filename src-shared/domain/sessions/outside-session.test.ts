import fc from "fast-check";
import { expect, test } from "vitest";
import {
  endedTurn,
  joinSessions,
  type OutsideSession,
  sessionExpiry,
  sessionName,
  sessionOrientation,
} from "./outside-session.ts";

const day = 24 * 3_600_000;
const session: OutsideSession = {
  kind: "claude",
  id: "1a2b3c4d-5e6f-7081-92a3-b4c5d6e7f809",
  folder: "/repo",
  lastActivityAt: 10 * day,
  asked: "Go on with the filter",
  askedAt: 9 * day,
  plan: {
    source: "/home/u/.claude/plans/calm-otter.md",
    text: "\n# Fuse filters\n\n1. Parse\n",
    since: 8 * day,
  },
  todos: { value: [{ content: "Parse", status: "in_progress", activeForm: "Parsing" }], at: 9 * day },
  branch: "feature/filters",
  turn: null,
  endedAt: null,
  source: "/home/u/.claude/projects/-repo/1a2b.jsonl",
};

test("a session's plan names its goal; without one the first prompt does", () => {
  expect(sessionOrientation(session)).toEqual({
    goal: "Fuse filters",
    plan: { source: session.plan?.source, summary: "", steps: [], step: null, text: session.plan?.text },
    todos: session.todos?.value,
    decisions: [],
    branch: "feature/filters",
    updatedAt: 10 * day,
  });
  expect(sessionOrientation({ ...session, plan: null })).toMatchObject({
    goal: "Go on with the filter",
    plan: null,
  });
  expect(sessionName(session)).toBe("claude-1a2b3c4d");
});

test("a to-do list ends with a new plan, and not with a new text of the plan", () => {
  const at = (since: number) =>
    sessionOrientation({ ...session, plan: session.plan && { ...session.plan, since } });
  expect(at(9 * day).todos).toHaveLength(1);
  expect(at(9 * day + 1).todos).toEqual([]);
});

test("the end of a session ends its work, until it is resumed", () => {
  const ended = { ...session, endedAt: session.lastActivityAt };
  expect(sessionExpiry(ended, 10 * day, null, day)).toBe("ended");
  expect(sessionExpiry({ ...ended, lastActivityAt: ended.endedAt + 1 }, 10 * day + 2, null, day)).toBe(null);
});

test("a day without activity ends it, and not a moment less", () => {
  expect(sessionExpiry(session, 11 * day, null, day)).toBe(null);
  expect(sessionExpiry(session, 11 * day + 1, null, day)).toBe("old");
});

test("another branch of the repository ends it; with a detached HEAD it cannot be told", () => {
  expect(sessionExpiry(session, 10 * day, "main", day)).toBe("other-branch");
  expect(sessionExpiry(session, 10 * day, "feature/filters", day)).toBe(null);
  expect(sessionExpiry(session, 10 * day, null, day)).toBe(null);
  expect(sessionExpiry({ ...session, branch: null }, 10 * day, "main", day)).toBe(null);
});

test("a turn is identified by its prompt, and does not count while it is in progress", () => {
  const turn = { value: { id: "u1", lastMessage: "" }, at: 9 * day + 5 };
  expect(endedTurn({ turn: null, askedAt: null })).toBe(null);
  expect(endedTurn({ turn, askedAt: 9 * day })).toBe(`asked-${9 * day}`);
  expect(
    endedTurn({
      turn: { ...turn, value: { ...turn.value, id: "hook" }, at: turn.at + 90 },
      askedAt: 9 * day,
    }),
  ).toBe(`asked-${9 * day}`);
  expect(endedTurn({ turn, askedAt: turn.at + 1 })).toBe(null);
  expect(endedTurn({ turn, askedAt: null })).toBe("u1");
});

test("in any order of reports the newer value counts", () => {
  const time = fc.integer({ min: 1, max: 5 });
  const any = fc.record({
    lastActivityAt: time,
    asked: fc.constantFrom("", "one", "other"),
    plan: fc.option(fc.record({ source: fc.constant("p"), text: fc.string(), since: time })),
    todos: fc.option(fc.record({ value: fc.constant([]), at: time })),
    turn: fc.option(fc.record({ value: fc.record({ id: fc.string(), lastMessage: fc.string() }), at: time })),
    endedAt: fc.option(time),
  });
  fc.assert(
    fc.property(any, any, (a, b) => {
      const joined = joinSessions({ ...session, ...a }, { ...session, ...b });
      expect(joined.lastActivityAt).toBe(Math.max(a.lastActivityAt, b.lastActivityAt));
      expect(joined.todos?.at ?? 0).toBe(Math.max(a.todos?.at ?? 0, b.todos?.at ?? 0));
      expect(joined.turn?.at ?? 0).toBe(Math.max(a.turn?.at ?? 0, b.turn?.at ?? 0));
      expect(joined.plan?.since ?? 0).toBe(Math.max(a.plan?.since ?? 0, b.plan?.since ?? 0));
      expect(joined.endedAt ?? 0).toBe(Math.max(a.endedAt ?? 0, b.endedAt ?? 0));
      expect(joined.asked === "").toBe(a.asked === "" && b.asked === "");
    }),
  );
});
