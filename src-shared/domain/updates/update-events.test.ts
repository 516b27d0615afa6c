import fc from "fast-check";
import { expect, test } from "vitest";
import { noUpdates, type QueuedUpdates, reduceUpdates, type UpdateEvent } from "./update-events.ts";

const added = (orchestrator: string, ...lines: readonly string[]): UpdateEvent => ({
  kind: "UpdatesQueued",
  orchestrator,
  topic: "children",
  lines,
});

test("updates during a prompt wait for the next one", () => {
  const after = [
    added("O-A-1", "first", "second"),
    added("O-A-1", "third"),
    { kind: "UpdatesDelivered", orchestrator: "O-A-1", topic: "children", count: 2 } as const,
  ].reduce<QueuedUpdates>(reduceUpdates, {});
  expect(after["O-A-1"]).toEqual({ ...noUpdates, children: ["third"] });
});

test("in any order of events each line is delivered once to its orchestrator, in order, and none is lost", () => {
  const place = {
    orchestrator: fc.constantFrom("O-A-1", "O-B-1"),
    topic: fc.constantFrom("plan", "children"),
  } as const;
  const event: fc.Arbitrary<UpdateEvent> = fc.oneof(
    fc.record({ kind: fc.constant("UpdatesQueued" as const), ...place, lines: fc.array(fc.string()) }),
    fc.record({ kind: fc.constant("UpdatesDelivered" as const), ...place, count: fc.nat(4) }),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: QueuedUpdates = {};
      const received: Record<string, string[]> = {};
      const given: Record<string, string[]> = {};
      for (const one of events) {
        const key = `${one.orchestrator} ${one.topic}`;
        const waiting = (before[one.orchestrator] ?? noUpdates)[one.topic];
        if (one.kind === "UpdatesQueued") given[key] = [...(given[key] ?? []), ...one.lines];
        else received[key] = [...(received[key] ?? []), ...waiting.slice(0, one.count)];
        const after = reduceUpdates(before, one);
        expect([...(received[key] ?? []), ...(after[one.orchestrator] ?? noUpdates)[one.topic]]).toEqual(
          given[key] ?? [],
        );
        for (const [name, updates] of Object.entries(before))
          if (name !== one.orchestrator) expect(after[name]).toBe(updates);
        before = after;
      }
    }),
  );
});
