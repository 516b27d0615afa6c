import { expect, test } from "vitest";
import { colourOf } from "./avatar.tsx";

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
