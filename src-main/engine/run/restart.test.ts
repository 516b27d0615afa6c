import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { InboxKind } from "#shared/contract/cards.ts";
import { askedAgain } from "../testing/asked-again.ts";
import { changesNamed } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";

let fixture: Fixture | null = null;

const resultOf = async (one: Fixture) => {
  const show = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  return {
    contract: await show("src/contract.txt"),
    index: await show("src/index.txt"),
    api: await show("src/api.txt"),
    view: await show("src/view.txt"),
    tasks: (await changesNamed(one, "kind(task)")).length,
    messages: one.engine.state().messages.filter(({ type }) => type !== "mutation").length,
    decisions: (await changesNamed(one, "kind(mutation)")).length,
    broken: await one.repo.terminal([
      "log",
      "--no-graph",
      "-r",
      "conflicts() | divergent()",
      "-T",
      "change_id",
    ]),
  };
};
const expected = {
  contract: "id: user_id # kept by the store\nname: text",
  index: "the store\nthe view",
  api: "GET /users/:user_id",
  view: "shows users",
  tasks: 3,
  messages: 2,
  decisions: 1,
  broken: "",
};

test("closed while each card waits: the same card is there again, with the same result", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = {};
  await one.start();
  for (const kind of [
    "plan",
    "align-request",
    "mutation",
    "pattern",
    "land",
  ] as const satisfies InboxKind[]) {
    const before = await one.card(kind);
    if (kind === "align-request")
      await one.until((run) => run.workers.some((w) => w.name === "agent-3" && w.status === "done"));
    await one.reopen();
    const after = await one.card(kind);
    expect(after).toEqual(before);
    const decision = await agreeable[kind]?.(after);
    if (!decision) throw new Error(`Nobody answers ${kind}.`);
    await one.execute("inbox.answer", { ...after, decision });
    await expect(one.execute("inbox.answer", { ...after, decision })).rejects.toThrow(
      /already been answered|over/,
    );
  }
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await resultOf(one)).toEqual(expected);
  expect(run.budget.spent.requests).toBeLessThanOrEqual(one.standIn.requests().length);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(askedAgain(one.standIn.requests(), one.closings)).toEqual([]);
  const merging = one.standIn.requests().find((request) => request.seen.role === "integrator");
  expect(merging?.seen.prompt).toContain("(agent-1): Follows the decision.");
  expect(merging?.seen.prompt).not.toContain("(hox)");
});

test("closed repeatedly while agents work: nothing is lost, repeated or charged twice", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 4 });
  const one = fixture;
  await one.start();
  let closings = 0;
  let spentBefore = 0;
  const ended = () => {
    const { run } = one.engine.state();
    return run !== null && over(run);
  };
  for (; closings < 14; closings++) {
    // Each life comes forward by one to three requests, and ends somewhere behind the last of them.
    const asked = one.standIn.requests().length + 1 + (closings % 3);
    await vi.waitUntil(() => one.standIn.requests().length >= asked || ended(), { timeout: 120_000 });
    if (ended()) break;
    await one.reopen();
    const spent = one.engine.state().run?.budget.spent.microDollars ?? 0;
    expect(spent).toBeGreaterThanOrEqual(spentBefore);
    spentBefore = spent;
  }
  const run = await one.until(over);
  expect(closings).toBeGreaterThan(5);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await resultOf(one)).toEqual(expected);
  expect(run.budget.spent.requests).toBeLessThanOrEqual(one.standIn.requests().length);
  expect(askedAgain(one.standIn.requests(), one.closings)).toEqual([]);
});

test("a repository without its journal keeps all work and can start another run", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  await one.card("land");
  const integrated = one.engine.state().run?.integration ?? "";
  await one.engine.close();
  await rm(join(one.repo.folder, "state"), { recursive: true });
  await one.reopen();
  expect(one.engine.state().run).toBeNull();
  expect(await one.repo.terminal(["file", "show", "-r", integrated, "src/index.txt"])).toBe(
    "the store\nthe view",
  );
  // Its agents get to work; that such a run comes to its end is shown below.
  one.answers = agreeable;
  await one.start();
  await one.until((run) => run.workers.some((w) => w.role === "agent" && w.status === "done"));
});

test("without its journal while agents work: unsaved work is recorded and named, and another run takes over", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  const release = one.standIn.hold((seen) => seen.role.startsWith("agent-") && seen.turns >= 1);
  await one.start();
  const { workers } = await one.until((run) =>
    run.workers.some((w) => w.name === "agent-1" && w.toolCalls >= 1),
  );
  const agent = workers.find((w) => w.name === "agent-1");
  const state = join(one.repo.folder, "state");
  await one.reopen(async () => {
    await writeFile(join(agent?.workspace ?? "", "unsaved.txt"), "hours of work\n");
    for (const suffix of ["", "-wal", "-shm"])
      await rm(join(state, `journal.sqlite${suffix}`), { force: true });
  });
  expect(one.engine.state().run).toBeNull();
  const change = agent?.changeId ?? "";
  expect(await one.repo.terminal(["file", "show", "-r", change, "unsaved.txt"])).toBe("hours of work");
  const found = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(found.join()).toContain(`agent-1 in ${change.slice(0, 12)}`);

  release();
  await one.start();
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(await one.repo.terminal(["file", "show", "-r", change, "unsaved.txt"])).toBe("hours of work");
});

test("closed inside an iteration: it resumes there, or restarts if its files were written or undone", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  // It never comes to the end of its iteration, however long it takes to close it.
  const midway = 3;
  const release = one.standIn.hold((seen) => seen.role === "agent-1" && seen.turns >= midway);
  const ofAgent = (from = 0) =>
    one.standIn
      .requests()
      .slice(from)
      .filter((request) => request.seen.role === "agent-1");
  const waiting = () =>
    vi.waitUntil(() => ofAgent(one.closings.at(-1)).find((request) => request.seen.turns === midway), {
      timeout: 120_000,
    });
  const firstAfter = () =>
    vi.waitUntil(() => ofAgent(one.closings.at(-1)).at(0), { timeout: 120_000, interval: 10 });
  await one.start();
  await waiting();
  const before = await one.until((run) =>
    run.workers.some((w) => w.name === "agent-1" && w.iteration === 0 && w.toolCalls >= midway),
  );
  await one.reopen();
  expect((await firstAfter()).seen.turns).toBe(midway);

  const { workspace } = before.workers.find((w) => w.name === "agent-1") ?? {};
  await one.reopen(() => writeFile(join(workspace ?? "", "src/contract.txt"), "by hand\n"));
  expect((await firstAfter()).seen.turns).toBe(0);

  // What a user took back is not gone on with either.
  await waiting();
  const undone = one.execute("run.undoWorker", { worker: "agent-1", afterwards: "wait" });
  // It is taken back between two requests.
  release();
  await undone;
  await one.reopen();
  await one.execute("run.resumeWorker", { worker: "agent-1" });
  expect((await firstAfter()).seen.turns).toBe(0);
});
