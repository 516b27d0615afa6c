import { describe, expect, it } from "vitest";
import { type OrchestratorEvent, orchestratorEvents } from "../orchestrator-protocol.ts";
import { orchestratorSystem } from "./orchestrator-tools.ts";

const eventsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^\[EVENT ([a-z -]+)\]/gmu)].map(([, event]) => event ?? ""));

const system = (event: OrchestratorEvent): string => orchestratorSystem("O-B-1", "O-A-1", event);

describe("an orchestrator's system prompt", () => {
  const groups: readonly (readonly OrchestratorEvent[])[] = [
    ["plan", "plan changed", "learn"],
    ["merge request ready", "conflict forecast"],
  ];

  it.each(groups.map((group) => ({ group })))("for $group has only the rules for these", ({ group }) => {
    const text = system(group[0] ?? "plan");
    expect([...eventsIn(text)].toSorted()).toEqual(group.toSorted());
    expect(text).toContain("How it works");
    expect(text).toMatch(/\nHox-Role: O-B-1$/u);
    for (const event of group) expect(system(event)).toBe(text);
    // What is left out is a good part of it.
    expect(text.length).toBeLessThan(0.7 * system("message").length);
  });

  it("is the same for all other events, with the rules for every one", () => {
    const grouped = groups.flat();
    expect(eventsIn(system("align-request"))).toEqual(new Set(orchestratorEvents));
    for (const event of orchestratorEvents)
      if (!grouped.includes(event)) expect(system(event)).toBe(system("align-request"));
  });

  it("says how tasks are added where an event can be answered with that", () => {
    expect(system("plan")).not.toContain("Adding tasks:");
    expect(system("conflict forecast")).toContain("Adding tasks:");
  });
});
