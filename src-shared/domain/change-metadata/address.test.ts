import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  addressMatches,
  assignmentBookmark,
  bookmarkNameProblem,
  checkoutName,
  compareOrchestrators,
  formatOrchestrator,
  freeRoot,
  isAddress,
  isAgentName,
  isOnlyCheckout,
  isRoot,
  matchesAddress,
  parseAssignment,
  parseOrchestrator,
} from "./address.ts";

const orchestrator = fc.record({
  level: fc.constantFrom("A", "B", "C", "Z"),
  number: fc.integer({ min: 1, max: 10_000 }),
});

describe("orchestrator names", () => {
  it("give each active run a separate root, the lowest free one", () => {
    expect(freeRoot([])).toBe("O-A-1");
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 30 })), (numbers) => {
        const taken = numbers.map((number) => formatOrchestrator({ level: "A", number }));
        const free = freeRoot(taken);
        expect(isRoot(free)).toBe(true);
        expect(taken).not.toContain(free);
        const below = (parseOrchestrator(free)?.number ?? 0) - 1;
        expect(numbers.filter((number) => number <= below)).toHaveLength(below);
      }),
    );
    expect(["O-B-1", "agent-1", "O-A-0"].filter(isRoot)).toEqual([]);
  });

  it("survive writing and reading, and sort by level, then by number", () => {
    fc.assert(
      fc.property(orchestrator, orchestrator, (a, b) => {
        expect(parseOrchestrator(formatOrchestrator(a))).toEqual(a);
        const sign = Math.sign(compareOrchestrators(formatOrchestrator(a), formatOrchestrator(b)));
        expect(sign).toBe(Math.sign(a.level === b.level ? a.number - b.number : a.level < b.level ? -1 : 1));
      }),
    );
    expect(["main", "O-B-1", "O-A-10", "O-A-2"].sort(compareOrchestrators)).toEqual([
      "O-A-2",
      "O-A-10",
      "O-B-1",
      "main",
    ]);
  });

  it.each(["O-A-0", "O-A-01", "O-a-1", "O-AA-1", "O-A-1 ", "A-1", "O-A-*", ""])("refuses %j", (name) => {
    expect(parseOrchestrator(name)).toBeNull();
  });

  it("make the bookmark of an assignment and read it back", () => {
    expect(parseAssignment(assignmentBookmark("O-A-1", "agent-42"))).toEqual({
      orchestrator: "O-A-1",
      agent: "agent-42",
    });
    for (const other of ["O-A-1", "main", "O-A-1/a/b", "x/agent-1", "O-A-1/Agent"])
      expect(parseAssignment(other)).toBeNull();
    expect(isAgentName("agent--1")).toBe(false);
  });
});

describe("addresses", () => {
  it.each([
    ["O-A-1", "O-A-1", true],
    ["O-A-1", "O-A-1/agent-2", false],
    ["O-A-1", "O-A-10", false],
    ["O-A-1/*", "O-A-1/agent-2", true],
    ["O-A-1/*", "O-A-1", false],
    ["O-A-1/*", "O-A-2/agent-2", false],
    ["O-A-1/agent-2", "O-A-1/agent-2", true],
    ["O-A-1/agent-2", "O-A-1/agent-22", false],
    ["O-A-*", "O-A-7", true],
    ["O-A-*", "O-B-7", false],
    ["O-A-*", "O-A-7/agent-1", false],
    ["O-*", "O-C-3", true],
    ["O-*/*", "O-C-3/agent-1", true],
    ["O-A-*/agent-*", "O-A-3/agent-1", true],
    ["*", "O-A-1", false],
    ["", "O-A-1", false],
    ["O-A-1/**", "O-A-1/agent-1", false],
  ])("%s reaches %s: %s", (address, recipient, reaches) => {
    expect(addressMatches(address, recipient)).toBe(reaches);
  });

  it("a name reaches exactly itself, and an invalid address no one", () => {
    fc.assert(
      fc.property(orchestrator, orchestrator, fc.string(), (a, b, text) => {
        const name = formatOrchestrator(a);
        const other = formatOrchestrator(b);
        expect(matchesAddress(name, { orchestrator: other, agent: null })).toBe(name === other);
        expect(isAddress(text) || !matchesAddress(text, { orchestrator: other, agent: null })).toBe(true);
      }),
    );
  });
});

describe("the name of a bookmark", () => {
  test.each(["main", "feature/x", "fix#12", "日本/語", "a--b", "v1.2", "a@b", "it's"])(
    "may be %s",
    (name) => {
      expect(bookmarkNameProblem(name)).toBeNull();
    },
  );

  test.each([
    "",
    "a b",
    "a\u0007b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a@{b",
    "a..b",
    "@",
    "HEAD",
    "-x",
    "/a",
    "a//b",
    "a/",
    "a.",
    ".a",
    "a/.b",
    "a.lock",
    "a.lock/b",
  ])("may not be %j", (name) => {
    expect(bookmarkNameProblem(name)).not.toBeNull();
  });
});

test("only undescribed rows of checkouts are left out", () => {
  const name = checkoutName("0123456789abcdef0123456789abcdef01234567", "5f0e-Run");
  expect(name).toBe("checkout-0123456789ab-5f0erun");
  expect(isOnlyCheckout({ description: "", workspaces: [name] })).toBe(true);
  expect(isOnlyCheckout({ description: "", workspaces: [] })).toBe(false);
  expect(isOnlyCheckout({ description: "words\n", workspaces: [name] })).toBe(false);
  expect(isOnlyCheckout({ description: "", workspaces: [name, "default"] })).toBe(false);
  expect(isOnlyCheckout({ description: "", workspaces: ["checkout-of-mine"] })).toBe(false);
});
