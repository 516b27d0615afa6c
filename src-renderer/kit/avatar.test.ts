import { expect, test } from "vitest";
import { colourOf, initials } from "./avatar.tsx";

test("each of sixteen agents has a colour of its own, and nobody else has one of theirs", () => {
  const agents = Array.from({ length: 16 }, (_, nth) => colourOf(`agent-${nth + 1}`));
  expect(new Set(agents).size).toBe(16);
  expect(colourOf("agent-17")).toBe(colourOf("agent-1"));
  for (const other of [
    "O-A-1",
    "O-B-2",
    "integrator",
    "integrator-b-1",
    "validator-3",
    "archangel-security",
    "hox",
  ])
    expect(agents).not.toContain(colourOf(other));
});

test("no name has more signs than an avatar has room for", () => {
  const names = [
    "agent-1",
    "agent-42",
    "agent-142",
    "O-A-1",
    "O-B-12",
    "integrator-b-1",
    "validator-3",
    "hox",
  ];
  expect(names.map(initials)).toEqual(["1", "42", "42", "A1", "12", "in", "3", "ho"]);
});
