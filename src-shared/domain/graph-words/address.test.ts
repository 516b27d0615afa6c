import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressMatches,
  assignmentBookmark,
  compareOrchestrators,
  formatOrchestrator,
  freeRoot,
  isAddress,
  isAgentName,
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
