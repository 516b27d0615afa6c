import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunForecasts } from "#shared/domain/forecast/forecast.ts";
import { notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { type Journal, openJournal } from "../../../../journal/journal.ts";
import { runInput } from "../../../../journal/testing/run-input.ts";
import { tempDir } from "../../../../testing/kit.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Run } from "../../../ports.ts";
import { reports } from "./feature.ts";

let folder: string;
let journal: Journal;
let ask: () => Promise<RunForecasts>;
beforeEach(() => {
  folder = tempDir();
  journal = openJournal(join(folder, "journal.sqlite"), () => 1_000);
  const commands = reports.commands?.({ journal } as CommandScope<Run>);
  const command = commands?.["run.forecast"];
  if (command === undefined) throw new Error("run.forecast has no handler");
  ask = async () => command({});
});
afterEach(() => {
  journal.close();
});

interface Worked {
  readonly role: "agent" | "validator" | "orchestrator";
  readonly minutes: number;
  /** By model, one request each. */
  readonly dollars: Readonly<Record<string, number>>;
}

function recordRun(
  id: string,
  workers: Readonly<Record<string, Worked>>,
  { stage = "complete", rehearsal = null as string | null } = {},
): void {
  journal.addRun(id, { ...runInput, rehearsal });
  for (const [worker, { role, dollars }] of Object.entries(workers)) {
    const record = { name: worker, role, parent: null, title: worker };
    journal.addEvent(id, { kind: "WorkerJoined", worker, record });
    for (const [model, spent] of Object.entries(dollars))
      journal.addSpending(id, worker, `${id} ${worker} ${model}`, model, {
        ...nothingSpent,
        microDollars: spent * 1e6,
        requests: 1,
      });
  }
  const metrics = Object.entries(workers).map(([worker, { minutes }]) => ({
    ...notMeasured(worker),
    msByPhase: { thinking: minutes * 60_000, waiting: 600_000 },
  }));
  journal.addEvent(id, { kind: "MetricsMeasured", metrics });
  journal.setStage(id, stage as "complete", true);
}

it("run.forecast returns nothing before the first complete run", async () => {
  expect(await ask()).toEqual({ tasks: [], validators: [] });
});

it("run.forecast keeps tasks and validators apart and counts each for the model that cost most", async () => {
  recordRun("one", {
    "O-A-1": { role: "orchestrator", minutes: 90, dollars: { opus: 50 } },
    "agent-1": { role: "agent", minutes: 4, dollars: { sonnet: 0.3, haiku: 0.1 } },
    "agent-2": { role: "agent", minutes: 6, dollars: { sonnet: 0.6 } },
    "validator-1": { role: "validator", minutes: 1, dollars: { opus: 0.2 } },
  });
  expect(await ask()).toEqual({
    tasks: [
      {
        model: "sonnet",
        count: 2,
        microDollars: { low: 450_000, median: 500_000, high: 550_000 },
        milliseconds: { low: 270_000, median: 300_000, high: 330_000 },
      },
    ],
    validators: [
      {
        model: "opus",
        count: 1,
        microDollars: { low: 200_000, median: 200_000, high: 200_000 },
        milliseconds: { low: 60_000, median: 60_000, high: 60_000 },
      },
    ],
  });
});

it("run.forecast leaves out rehearsals and runs that did not complete, and reads a run that completed since", async () => {
  const agent: Worked = { role: "agent", minutes: 4, dollars: { sonnet: 0.3 } };
  recordRun("rehearsed", { "agent-1": agent }, { rehearsal: "profiles" });
  recordRun("failed", { "agent-1": agent }, { stage: "failed" });
  expect(await ask()).toEqual({ tasks: [], validators: [] });
  recordRun("complete", { "agent-1": agent });
  expect((await ask()).tasks).toMatchObject([{ model: "sonnet", count: 1 }]);
});
