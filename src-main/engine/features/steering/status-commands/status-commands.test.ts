import { expect, test } from "vitest";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Run } from "../../../ports.ts";
import { commandFor } from "./feature.ts";

const record = (name: string, more: Partial<WorkerRecord>): WorkerRecord =>
  ({
    name,
    changeId: "part",
    title: "Build the station",
    control: { kind: "worker" },
    ...more,
  }) as WorkerRecord;

/** A run of which only who works in it is asked. */
function runOf(...records: readonly WorkerRecord[]): Run {
  const workers = new Map(records.map((one) => [one.name, { record: one }]));
  return {
    workers,
    worker: (name: string) => workers.get(name),
    inbox: { items: () => [] },
  } as unknown as Run;
}

test("a part's integrator writing to the part's change does not request a status", () => {
  const part = record("O-B-1", { role: "orchestrator", status: "in_progress" });
  const integrator = record("integrator-b-1", { role: "integrator", status: "done" });
  expect(commandFor(runOf(part, integrator), part, "done")).toEqual({ kind: "none" });
  // A user who says it while the integrator is still at work is answered.
  const working = { ...integrator, status: "in_progress" as const };
  expect(commandFor(runOf(part, working), part, "done")).toMatchObject({ kind: "refused" });
  const elsewhere = { ...integrator, changeId: "another" };
  expect(commandFor(runOf(part, elsewhere), part, "done")).toMatchObject({ kind: "refused" });
  // The whole part can be given up at any time.
  const given = { ...integrator, status: "abandoned" as const };
  expect(commandFor(runOf(part, given), part, "abandoned")).toEqual({ kind: "remove" });
});
