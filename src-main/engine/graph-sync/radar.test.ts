import { afterEach, expect, test } from "vitest";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { idleRun } from "#shared/domain/run/stage-state.ts";
import { newWorker } from "#shared/domain/worker/worker-record.ts";
import { emptyRun } from "#shared/run/state.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import type { Worker } from "../ports.ts";
import { scriptOf, works } from "../testing/merge-request-script.ts";
import { plainRun } from "../testing/plain-run.ts";
import { onView } from "../testing/read-run.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, write } from "../testing/three-agents-script.ts";
import { createRadar, type Watched } from "./radar.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let fixture: Fixture | null = null;
let repo: TestRepository | null = null;
afterEach(async () => {
  await fixture?.remove();
  await repo?.remove();
  fixture = null;
  repo = null;
});

/** Agents with workspaces of their own, and the radar beside them, which looks whenever it is let. */
async function radarFixture(names: readonly string[]) {
  repo = await createTestRepository();
  const { repository, folder } = repo;
  const workspaces = new Map<string, Workspace>();
  const workers = new Map<string, Worker>();
  for (const name of names) {
    const { changeId } = await repository.newChange({ parents: ["@-"], description: `${name}\n` });
    const made = await repository.addWorkspace({
      name,
      folder: `${folder}/${name}`,
      change: changeId,
      edit: true,
    });
    workspaces.set(name, made.workspace);
    const record = newWorker({
      name,
      role: "agent",
      parent: "O-A-1",
      title: name,
      task: name,
      changeId,
      status: "in_progress",
    });
    workers.set(name, { record } as Worker);
  }
  const entries: ConversationEntry[] = [];
  let shown = 0;
  let fails: Error | null = null;
  const looks: number[] = [];
  const watched: Watched = {
    repository: {
      ...repository,
      async trialMerge(changes) {
        try {
          if (fails) throw fails;
          const before = repository.processCount();
          const found = await repository.trialMerge(changes);
          looks.push(repository.processCount() - before);
          return found;
        } finally {
          ended += 1;
        }
      },
    },
    stateOf: () => ({ ...idleRun, current: { stage: "executing", phase: 1, settled: false } }),
    workers,
    row: plainRun([]).row,
    facts: emptyRun,
    runEnded: new AbortController(),
    changed: () => {
      shown += 1;
    },
    schedule() {},
    others: () => [],
    appendTranscript: (_, entry) => entries.push(entry),
  };
  /** Looks that would begin after a while. */
  const armed: (() => void)[] = [];
  const radar = createRadar(
    () => watched,
    (begin) => {
      armed.push(begin);
      return () => armed.splice(armed.indexOf(begin), 1);
    },
  );
  let ended = 0;
  return {
    radar,
    armed,
    /** Lets the look begin that is armed, and waits for its end. */
    async look() {
      const before = ended;
      armed.shift()?.();
      const deadline = Date.now() + 60_000;
      while (ended === before && Date.now() < deadline) await turn();
      // What follows its end has happened too.
      await turn();
    },
    watched,
    looks,
    entries,
    shown: () => shown,
    fail(error: Error | null) {
      fails = error;
    },
    async write(name: string, path: string, content: string) {
      await repo?.write(`../${name}/${path}`, content);
      await workspaces.get(name)?.snapshot({ actor: name });
      radar.look();
    },
  };
}

test("agents that edit the same lines are reported with the file, others are not, and the trial is not published", async () => {
  const { radar, write, look, looks, shown } = await radarFixture(["agent-1", "agent-2", "agent-3"]);
  await write("agent-1", "readme.md", "# Of the first\n");
  await write("agent-2", "readme.md", "# Of the second\n");
  await write("agent-3", "other.md", "# Of the third\n");
  const operations = await repo?.terminal(["op", "log", "--no-graph", "-T", "id", "--ignore-working-copy"]);
  await look();
  expect(radar.forecast().pairs).toEqual([
    {
      ...{ a: "agent-1", b: "agent-2", files: ["readme.md"] },
      places: [{ path: "readme.md", lines: { from: 1, to: 1 } }],
    },
  ]);
  expect(await repo?.terminal(["op", "log", "--no-graph", "-T", "id", "--ignore-working-copy"])).toBe(
    operations,
  );
  expect(shown()).toBe(1);
  await write("agent-2", "readme.md", "# Example\n");
  await look();
  expect(radar.forecast().pairs).toEqual([]);
  // One try finds that nobody collides any more.
  expect(looks.at(-1)).toBe(1);
  await radar.stop();
});

test("many saves cause one look, and a failed look is reported once and retried with the next save", async () => {
  const { radar, write, look, armed, looks, entries, fail } = await radarFixture(["agent-1", "agent-2"]);
  await write("agent-1", "readme.md", "# Of the first\n");
  await write("agent-2", "readme.md", "# Of the second\n");
  for (let round = 0; round < 100; round++) radar.look();
  expect(armed).toHaveLength(1);
  const first = look();
  // Saved while it looks: once more is enough for all of them.
  for (let round = 0; round < 100; round++) radar.look();
  await first;
  expect(radar.forecast().pairs).toHaveLength(1);
  expect(armed).toHaveLength(1);
  await look();
  expect(armed).toEqual([]);
  expect(looks).toHaveLength(2);
  fail(new Error("jj is away"));
  for (let round = 0; round < 2; round++) {
    radar.look();
    await look();
  }
  expect(entries).toEqual([{ kind: "notice", text: "The conflict radar failed: jj is away" }]);
  expect(radar.forecast().pairs).toHaveLength(1);
  fail(null);
  await write("agent-2", "readme.md", "# Example\n");
  radar.look();
  await look();
  expect(radar.forecast().pairs).toEqual([]);
  radar.look();
  await radar.stop();
  radar.look();
  expect(armed).toEqual([]);
});

test("agents that collide are named while both are still in their first turn", async () => {
  const agents = ["agent-1", "agent-2"];
  const longCommand = { calls: [{ tool: "run_command", input: { command: "sleep 100" } }] };
  fixture = await createFixture({
    script: scriptOf(
      Object.fromEntries(
        agents.map((name) => [
          name,
          works(write("src/one.txt", `the words of ${name}\n`), longCommand, done("Done.")),
        ]),
      ),
    ),
  });
  await fixture.start();
  const ahead = await fixture.until((run) => run.radar.length > 0);
  expect(ahead.radar).toMatchObject([{ a: "agent-1", b: "agent-2", files: ["src/one.txt"] }]);
  const iterations = ahead.workers.filter(({ name }) => agents.includes(name)).map((one) => one.iteration);
  expect(iterations).toEqual([0, 0]);
});

test("a run shows forecast conflicts while agents work, and none when their work is merged", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const { repo: real } = fixture;
  const radars: string[] = [];
  onView(fixture.engine, ({ stage, radar }) => void radars.push(JSON.stringify([stage, radar])));
  // Nobody goes on to the integration before the radar has spoken.
  fixture.answers = {
    ...fixture.answers,
    "align-request": async () => {
      await fixture?.until((run) => run.radar.length > 0);
      return { kind: "answer", text: "user_id, please" };
    },
  };
  await fixture.start();
  const ahead = await fixture.until((run) => run.radar.length > 0);
  // Both write src/index.txt. What the decision will contradict in src/contract.txt is nobody's collision.
  expect(ahead.radar).toMatchObject([{ a: "agent-1", b: "agent-3", files: ["src/index.txt"] }]);
  const done = await fixture.until(over);
  expect(done).toMatchObject({ stage: "complete", radar: [] });
  expect(radars.some((one) => one.includes("contract.txt"))).toBe(false);
  expect(radars.filter((one) => !one.startsWith('["executing"')).every((one) => one.endsWith(",[]]"))).toBe(
    true,
  );
  expect(
    await real.terminal(["op", "log", "--no-graph", "-T", 'description ++ attributes ++ "\\n"']),
  ).not.toContain("radar");
});
