import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultConfig } from "../../config/config-of.ts";
import { type Journal, openJournal } from "../../journal/journal.ts";
import { runInput } from "../../journal/testing/run-input.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import { retireTurned } from "./retire-turned.ts";

let fixture: Fixture;
let journal: Journal;
beforeEach(async () => {
  fixture = await createFixture({
    openJournal: (path, now) => {
      journal = openJournal(path, now);
      return journal;
    },
  });
});
afterEach(() => fixture.remove());

const id = "decomposition/types-first";
async function approved(): Promise<void> {
  const { repository } = fixture.repo;
  const text = `---\nname: types-first\ncategory: decomposition\nconfidence: 0.8\nrun: elsewhere\nevidence: agents >= 2\n---\n\n# Types first\n\nWrite the shared types down before anything runs in parallel.\n`;
  const made = await repository.newChange({
    parents: ["root()"],
    description: "by hand",
    files: { "patterns/decomposition/types-first.md": text },
  });
  await repository.setBookmark("hox-patterns", made.commitId);
  const { shown } = await fixture.engine.execute("pattern.preview", { id });
  await fixture.engine.execute("pattern.approve", { id, shown });
}
let runs = 0;
function told(...stages: readonly ("complete" | "failed" | "stopped")[]): void {
  for (const stage of stages) {
    const run = `told-${runs++}`;
    journal.addRun(run, runInput);
    const event = { kind: "PatternsTold", worker: "agent-1", patterns: [{ id, version: 1 }] };
    journal.addModelEvent(run, event);
    journal.setStage(run, stage, true);
  }
}
async function look(patterns: Partial<typeof defaultConfig.patterns> = {}): Promise<readonly EngineEvent[]> {
  const events: EngineEvent[] = [];
  await retireTurned({
    repository: fixture.repo.repository,
    journal,
    now: Date.now,
    config: { ...defaultConfig, patterns: { ...defaultConfig.patterns, ...patterns } },
    emit: (event) => void events.push(event),
  });
  return events;
}
const state = async () => (await fixture.engine.execute("pattern.list")).map((one) => one.state).join();

test("a pattern whose last runs failed is retired and said so; who brings it back is heard until later runs", async () => {
  await approved();
  told("complete", "complete", "failed", "failed", "stopped", "stopped");
  // Four that count: what a person stopped says nothing.
  expect(await look()).toEqual([]);
  told("failed");
  expect(await look({ retireAfterRuns: 0 })).toEqual([]);
  expect(await look({ retireBelow: 0.4 })).toEqual([]);
  expect(await state()).toBe("approved");
  expect(await look()).toMatchObject([
    {
      kind: "notice",
      text: `The pattern ${id} was retired: 2 of the last 5 runs that were told it reached their goal.`,
      remedy: expect.stringContaining(`hox patterns restore ${id}`),
    },
  ]);
  expect(await state()).toBe("retired");
  expect(await look()).toEqual([]);

  await fixture.engine.execute("pattern.restore", { id });
  expect(await look()).toEqual([]);
  told("failed", "failed", "failed", "failed");
  expect(await look()).toEqual([]);
  told("failed");
  expect(await look()).toHaveLength(1);
  expect(await state()).toBe("retired");
});
