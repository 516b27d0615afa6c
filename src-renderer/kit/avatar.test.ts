import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { colourOf, initials } from "./avatar.tsx";

test("each of sixteen agents has a unique colour, which no other worker has", () => {
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

test("no agent has the colour of the accent, which marks what the user can act on", () => {
  const theme = readFileSync(new URL("../app/theme.css", import.meta.url), "utf8");
  const accents = [...theme.matchAll(/--accent: (#\w+)/gu)].map(([, colour]) => colour);
  const lanes = [...theme.matchAll(/--lane-\d+: (#\w+)/gu)].map(([, colour]) => colour);
  expect([accents.length, lanes.length]).toEqual([2, 32]);
  expect(lanes.filter((colour) => accents.includes(colour))).toEqual([]);
  expect(new Set(lanes.slice(0, 16)).size, "light").toBe(16);
  expect(new Set(lanes.slice(16)).size, "dark").toBe(16);
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
