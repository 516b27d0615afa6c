import { describe, expect, it } from "vitest";
import { formatWaitsForSlot, placesTaken } from "./roles.ts";

const agent = (state: string) => ({ role: "agent" as const, state });
const run = (states: readonly string[], maxParallelAgents: number) => ({
  workers: [{ role: "orchestrator" as const, state: "thinking" }, ...states.map(agent)],
  maxParallelAgents,
});

describe("a worker that waits for a slot", () => {
  it("is told how many there are and where that is set, in the reader's terms", () => {
    const full = run(["thinking", "tools", "checking", "sleeping"], 3);
    expect(formatWaitsForSlot(full, "window")).toBe(
      "waiting for a free slot: 3 of 3 are taken (“Agents at once” in the budget)",
    );
    expect(formatWaitsForSlot(full, "terminal")).toBe(
      "waiting for a free slot: 3 of 3 are taken (hox budget --agents)",
    );
    expect(formatWaitsForSlot(run(["tools"], 1), "terminal")).toContain(": 1 of 1 is taken (");
  });

  it("is not told that the run itself has all of them if others have some", () => {
    expect(formatWaitsForSlot(run(["tools", "sleeping"], 3), "terminal")).toContain(
      ": 1 of 3 is taken here, the rest by checks or other runs (",
    );
  });

  it("is told no more slots than there are while the last in order release theirs", () => {
    expect(placesTaken(run(["tools", "tools", "thinking"], 1))).toBe(1);
  });
});
