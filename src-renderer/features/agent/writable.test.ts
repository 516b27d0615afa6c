import { expect, test } from "vitest";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { aWorker } from "#shared/testing/kit.ts";
import { writableNow } from "./writable.ts";

type Run = Pick<RunView, "endedAt" | "orchestrators">;
const run = (state: RunView["orchestrators"][number]["state"] = "active"): Run =>
  ({ endedAt: null, orchestrators: [{ name: "O-A-1", state }] }) as unknown as Run;
const worker = (more: Partial<WorkerView> = {}): WorkerView => aWorker("agent-1", { changeId: "k", ...more });

test("an active agent can be interrupted; a paused one reads the message when it resumes", () => {
  expect(writableNow(worker(), run())).toMatchObject({ kind: "open", canInterrupt: true });
  for (const still of [{ held: true }, { byHand: { since: 1 } }, { state: "waiting" }] as const)
    expect(writableNow(worker(still), run())).toMatchObject({ kind: "open", canInterrupt: false });
});

test("who reads nothing any more says who does", () => {
  expect(writableNow(worker({ status: "done" }), run())).toMatchObject({
    kind: "closed",
    words: "agent-1 is done. Write to O-A-1.",
  });
  expect(writableNow(worker({ replacedBy: "agent-4" }), run())?.words).toContain("agent-4");
  expect(writableNow(worker(), { ...run(), endedAt: 1 })?.kind).toBe("closed");
  expect(writableNow(worker({ role: "validator" }), run())).toBeNull();
});

test("an orchestrator is written to from its beginning to its end, and is woken", () => {
  const lead = worker({ name: "O-A-1", role: "orchestrator", parent: null });
  expect(
    ["planned", "active", "sleeping", "done"].map((state) => writableNow(lead, run(state as "done"))?.kind),
  ).toEqual(["closed", "open", "open", "closed"]);
  expect(writableNow(lead, run("active")), "between two requests").toMatchObject({ canInterrupt: true });
  expect(writableNow(lead, run("sleeping")), "it wakes anyway").toMatchObject({ canInterrupt: false });
});
