import { expect, test } from "vitest";
import { createSerial } from "#shared/async/serial.ts";
import { landKind } from "#shared/contract/cards/land.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { aChange } from "#shared/testing/kit.ts";
import type { Scene, Seen } from "../../../../model/stand-in/script.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { createWaiters } from "../../../kernel/waiters.ts";
import type { Run } from "../../../ports.ts";
import { call, config, parentsOf, scriptOf, show, worker } from "../../../testing/merge-request-script.ts";
import { plainRun } from "../../../testing/plain-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

import { waitForTurn } from "./merge-order.ts";

let fixture: Fixture | null = null;

const path = "src/list.txt";
const names = ["agent-1", "agent-2", "agent-3", "agent-4"] as const;

/** Replaces the place in conflict that the prompt shows with every entry of both its sides, without reading the file. */
const keepsBothSides = ({ prompt }: Seen) => {
  const lines = prompt.match(/entry of agent-\d/gu) ?? [];
  return call("edit_file", {
    path,
    old_text: /^> (<{7} conflict 1 of 1)$/mu.exec(prompt)?.[1] ?? "",
    new_text: [...new Set(lines)].map((line) => `${line}\n`).join(""),
  });
};

/** Writes the one line that everybody writes, and keeps all lines where that meets others'. */
const collides = (name: string): readonly Scene[] => [
  {
    name: "brings both together",
    prompt: "## Conflicts",
    steps: [keepsBothSides, done(`${name} and others.`)],
    optional: true,
  },
  { name: "works", steps: [write(path, `entry of ${name}\n`), done(`Entry of ${name}.`)] },
];

test("work that collides is merged one after the other, each conflict has two sides, and each task lands as one commit", async () => {
  fixture = await createFixture({
    script: scriptOf(Object.fromEntries(names.map((name) => [name, collides(name)]))),
    workflow: "one-judge",
    files: config('[landing]\nhistory = "tasks"\n'),
  });
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const card = (await one.card("land")) as ItemOf<"land">;
  const run = one.engine.state().run as RunView;
  expect(one.standIn.unmatched()).toEqual([]);
  const agents = names.map((name) => worker(run, name));
  // Judged once each: what came later was brought together before.
  expect(agents.map(({ mergeRequest }) => [mergeRequest?.round, mergeRequest?.state])).toEqual(
    names.map(() => [1, { stage: "merged", place: "trunk" }]),
  );
  const resolutions = one.standIn
    .requests()
    .filter(({ seen }) => seen.prompt.includes("## Conflicts") && seen.turn === 0);
  expect(resolutions.map(({ seen }) => seen.role).toSorted()).toHaveLength(3);
  expect(new Set(resolutions.map(({ seen }) => seen.role)).size).toBe(3);
  for (const { changeId } of agents) expect(await parentsOf(one, changeId)).toHaveLength(1);
  // What each was given to resolve had its own side and one other, however many had been merged.
  for (const { seen } of resolutions) {
    const text = sectionOf(seen.prompt, "Conflicts");
    expect(text).toContain(`- ${path}, lines 1 to`);
    const sides = text.match(/^(?:\+{7}|%{7}) /gmu) ?? [];
    expect(sides).toHaveLength(2);
  }
  expect(await parentsOf(one, run.integration)).toHaveLength(1);
  expect((await show(one, run.integration ?? "", path)).split("\n").toSorted()).toEqual(
    names.map((name) => `entry of ${name}`),
  );

  // The card shows the commits that land, and they are those.
  const shown = card.commits.tasks.map(({ title, worker: by }) => [title, by]);
  expect(shown.toSorted()).toEqual([
    ["Bring it together", "integrator"],
    ["Contracts: Keep users", "O-A-1"],
    ...names.map((name) => [`Task of ${name}`, name]),
  ]);
  expect(landKind.lines(card).filter((line) => line.startsWith("  commit: "))).toHaveLength(shown.length);
  await one.execute("inbox.answer", { ...card, decision: { kind: "approve", bookmark: "main" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  const landed = await one.repo.terminal([
    ...["log", "--ignore-working-copy", "--no-graph", "-r", `${run.onto}..main`],
    ...["-T", 'description.first_line() ++ "\\n"'],
  ]);
  expect(
    landed
      .split("\n")
      .filter((line) => line !== "")
      .toReversed(),
  ).toEqual(card.commits.tasks.map(({ title }) => title));
}, 300_000);

/** The work of agent-1 is finished and collides with that of agent-2. */
function colliding(...events: readonly RunEvent[]): Run {
  const joined = (worker: string): RunEvent => ({
    kind: "WorkerJoined",
    worker,
    record: {
      ...{ name: worker, role: "agent", parent: "O-A-1", title: worker, task: worker },
      ...{ changeId: worker, status: "review" },
    },
  });
  const run = plainRun(
    [joined("agent-1"), joined("agent-2"), ...events],
    ["agent-1", "agent-2"].map((name) => aChange(name)),
  );
  const pairs = [["agent-1", "agent-2"]] as const;
  return {
    ...run,
    serial: createSerial(),
    waiters: createWaiters(new AbortController().signal),
    repository: {
      changedPaths: async () => [path],
      trialMerge: async () => [{ path, pairs, places: [] }],
    },
    setActivity: () => undefined,
  } as unknown as Run;
}

const offered: RunEvent = {
  ...{ kind: "MergeRequestAdvanced", worker: "agent-2", checks: null },
  rules: { review: "none", firstReviewer: false, maxRounds: 3 },
  event: { kind: "Offered", commit: "c", summary: "" },
};
const resolving: readonly RunEvent[] = [
  { kind: "MergeConflictFound", worker: "agent-2", against: [{ worker: "agent-3", files: [path] }] },
  { kind: "WorkReopened", worker: "agent-2" },
];

/** Whether finished work of agent-1 has to wait for its turn. */
async function waits(run: Run): Promise<boolean> {
  const stop = new AbortController();
  const waiting = waitForTurn(run, "agent-1", stop.signal).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Interrupted) return true;
      throw error;
    },
  );
  // All that it asks for is answered by then.
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  return waiting;
}

test("finished work waits for colliding work that is reviewed or resolved, unless that waits for it", async () => {
  expect(await waits(colliding(offered))).toBe(true);
  expect(await waits(colliding(...resolving))).toBe(true);
  // No marker is left, and it tests what it brought together.
  const resolved: readonly RunEvent[] = [...resolving, { kind: "MergeConflictResolved", worker: "agent-2" }];
  expect(await waits(colliding(...resolved))).toBe(true);
  // Merged before and corrected: nothing is merged until the correction is.
  const onTrunk: RunEvent = { kind: "TrunkExtended", orchestrator: "O-A-1", changeId: "agent-1" };
  expect(await waits(colliding(onTrunk, offered))).toBe(false);
  const ordered: readonly RunEvent[] = [
    { kind: "CollisionsFound", pairs: [{ a: "agent-1", b: "agent-2", places: [] }] },
    {
      ...{ kind: "CollisionsOrdered", by: "O-A-1", ids: ["agent-1/agent-2"] },
      waits: [{ id: "agent-1/agent-2", worker: "agent-2", for: "agent-1" }],
    },
  ];
  expect(await waits(colliding(...resolving, ...ordered))).toBe(false);
});
