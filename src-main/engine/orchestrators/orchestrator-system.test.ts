import { expect, test } from "vitest";
import { orchestratorEvents } from "../orchestrator-protocol.ts";
import { orchestratorSystem } from "./orchestrator-tools.ts";

const eventsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^\[EVENT ([a-z -]+)\]/gmu)].map(([, event]) => event ?? ""));

test("a planner gets only the rules for plans, and other events get how each is answered", () => {
  const planning = orchestratorSystem("O-A-1", null, "plan");
  expect([...eventsIn(planning)]).toEqual(["plan", "plan changed"]);
  expect(planning).toContain("How it works");
  expect(planning).toMatch(/\nHox-Role: O-A-1$/u);
  expect(orchestratorSystem("O-A-1", null, "plan changed")).toBe(planning);

  const working = orchestratorSystem("O-B-1", "O-A-1", "align-request");
  expect(eventsIn(working)).toEqual(new Set(orchestratorEvents));
  for (const event of orchestratorEvents)
    if (!event.startsWith("plan")) expect(orchestratorSystem("O-B-1", "O-A-1", event)).toBe(working);
  // What is left out is most of it.
  expect(planning.length).toBeLessThan(0.65 * working.length);
});
