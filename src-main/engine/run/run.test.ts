import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defaultConfig } from "../../config/settings.ts";
import { type Journal, openJournal } from "../../journal/journal.ts";
import { runInput } from "../../journal/testing/run-input.ts";
import type { EngineOptions } from "../engine-interface.ts";
import {
  dequeueStatusCommand,
  enqueueStatusCommand,
  finishStatusCommand,
  pendingStatusCommands,
} from "../features/steering/status-commands/feature.ts";
import { ownLog, type Run } from "../ports.ts";
import { createRun } from "./run.ts";

const key = "sk-ant-planted-planted";
let folder: string | null = null;
let journal: Journal | null = null;
afterEach(async () => {
  journal?.close();
  if (folder !== null) await rm(folder, { recursive: true });
  folder = null;
  journal = null;
});

/** A run with one worker, on a real journal; none of its work begins. */
async function runOf(worker: string): Promise<Run> {
  folder = await mkdtemp(join(tmpdir(), "hox-run-"));
  journal = openJournal(join(folder, "journal.sqlite"), () => 1_000);
  journal.addRun("r1", { ...runInput, goal: "Keep users", model: "claude-sonnet-5-5" });
  const run = openedAgain();
  run.addWorker({ name: worker, role: "agent", parent: "O-A-1", title: "Write the API", task: "api" });
  return run;
}

/** As a process finds it that begins with the journal alone. */
function openedAgain(): Run {
  const [row] = journal?.runs() ?? [];
  if (!row || !journal) throw new Error("The run was not taken down.");
  // Of what the engine is given, a run that only keeps records asks for the time and for ids.
  const options = { now: () => 1_000, newId: () => "id", secrets: () => [key] } as unknown as EngineOptions;
  return createRun({
    row,
    config: defaultConfig,
    journal,
    options,
    features: [],
    divergence: { mend: async () => undefined },
    emit: () => undefined,
    changed: () => undefined,
    others: () => [],
  });
}

test("an unknown worker name is an error", async () => {
  const run = await runOf("agent-1");
  const missing = 'no worker named "agent-2" in this run.';
  expect(() => run.worker("agent-2")).toThrow(missing);
  expect(() => run.append({ kind: "WorkFinished", worker: "agent-2" })).toThrow(missing);
  expect(() => run.setActivity("agent-2", "thinking", "")).toThrow(missing);
  expect(() => run.appendTranscript("agent-2", { kind: "notice", text: "?" })).toThrow(missing);
  expect([...run.workers.keys()]).toEqual(["agent-1"]);
  expect(Object.keys(run.facts.workers)).toEqual(["agent-1"]);
  expect(run.journal.events("r1")).toHaveLength(1);
});

test("a journalled event hides keys, and takeEvents hands out each event once and forgets what was not written", async () => {
  const run = await runOf("agent-1");
  run.takeEvents();
  run.append({ kind: "NoteTaken", worker: "agent-1", text: `It prints ${key}.` });
  expect(run.worker("agent-1").record.remarks).toEqual(["It prints [redacted]."]);
  expect(JSON.stringify(run.journal.events("r1"))).not.toContain(key);
  expect(() =>
    run.journal.together(() => {
      run.append({ kind: "WorkStarted", worker: "agent-1" });
      throw new Error("disk full");
    }),
  ).toThrow("disk full");
  const { from, events } = run.takeEvents();
  expect([from, events.map(({ event }) => event.kind)]).toEqual([1, ["NoteTaken"]]);
  expect(run.takeEvents()).toEqual({ from: 2, events: [] });
});

test("Hox's own actions are logged without a worker", async () => {
  const run = await runOf("agent-1");
  run.appendTranscript(ownLog, { kind: "notice", text: "Planning begins." });
  run.flush();
  expect(run.journal.rows("r1", ownLog)).toMatchObject([{ kind: "notice", text: "Planning begins." }]);
  expect([...run.workers.keys()]).toEqual(["agent-1"]);
  expect(run.metrics.all().map(({ worker }) => worker)).not.toContain(ownLog);
});

test("the log names a stage event that changes the stage, and no other", async () => {
  const run = await runOf("agent-1");
  const log = () => {
    run.flush();
    return run.journal.rows("r1", ownLog);
  };
  run.dispatch({ kind: "IntegrationClean" });
  expect(log()).toEqual([]);
  run.dispatch({ kind: "StartOrchestration", limits: { repairRounds: 2, autoAdvance: true } });
  expect(log()).toMatchObject([{ text: "StartOrchestration: idle → planning" }]);
});

test("a status requested in the app is also handled by the next process", async () => {
  const run = await runOf("agent-1");
  run.append(
    { kind: "ChangeAssigned", worker: "agent-1", changeId: "k".repeat(32) },
    { kind: "WorkStarted", worker: "agent-1" },
  );
  expect(enqueueStatusCommand(run, "k".repeat(32), "blocked")).toBe(true);
  expect(pendingStatusCommands(run)).toEqual(["agent-1"]);
  // Killed before the agent came to its turn boundary.
  const again = openedAgain();
  expect(pendingStatusCommands(again)).toEqual(["agent-1"]);
  const requested = dequeueStatusCommand(again, "agent-1");
  expect(requested).toMatchObject({ status: "blocked" });
  finishStatusCommand(again, "agent-1", requested);
  expect(pendingStatusCommands(openedAgain())).toEqual([]);
});

test("a status requested while an earlier one is executed is handled too, also by the next process", async () => {
  const run = await runOf("agent-1");
  run.append(
    { kind: "ChangeAssigned", worker: "agent-1", changeId: "k".repeat(32) },
    { kind: "WorkStarted", worker: "agent-1" },
  );
  enqueueStatusCommand(run, "k".repeat(32), "blocked");
  const requested = dequeueStatusCommand(run, "agent-1");
  enqueueStatusCommand(run, "k".repeat(32), "abandoned");
  finishStatusCommand(run, "agent-1", requested);
  expect(dequeueStatusCommand(openedAgain(), "agent-1")).toMatchObject({ status: "abandoned" });
});
