import { expect, test } from "vitest";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("the user's edit of the graph is refused when it would break something", async () => {
  fixture = await createFixture();
  const one = fixture;
  const root = "zzzzzzzzzzzz";
  await expect(one.execute("change.describe", { changeId: root, description: "x" })).rejects.toMatchObject({
    name: "EngineRefusal",
    remedy: expect.any(String),
  });
  await expect(
    one.execute("change.describe", { changeId: "kkkkkkkk", description: "x" }),
  ).rejects.toMatchObject({ remedy: expect.any(String) });
  const [first] = await one.repo.repository.query("main");
  await expect(
    one.execute("change.rebase", { changeId: first?.changeId ?? "", onto: first?.changeId ?? "" }),
  ).rejects.toThrow(/onto itself/);
  await expect(
    one.execute("queue.move", {
      changeId: first?.changeId ?? "",
      priority: "high",
      above: null,
      below: null,
      unranked: [],
    }),
  ).rejects.toThrow(/Only tasks/);
  await expect(one.execute("run.push", { bookmark: "main", moves: [] })).rejects.toMatchObject({
    remedy: expect.stringContaining("remote add"),
  });
  await expect(one.start({ onto: "all()" })).rejects.toThrow(/several changes/);
  await expect(one.start({ model: "no-such-model" })).rejects.toThrow(/no-such-model/);
  expect(one.engine.state().runs).toEqual([]);
}, 300_000);

test("an operation is undone unless something builds on what it wrote; then those changes are named", async () => {
  fixture = await createFixture();
  const { engine, repo } = fixture;
  const add = async (description: string, parents: readonly string[]) =>
    (await repo.repository.newChange({ description, parents })).changeId;
  const subjects = async () =>
    (await repo.repository.query("mutable()")).map(({ description }) => description.trim());
  const floor = await add("lay the floor", ["main"]);
  const wall = await add("raise the wall", [floor]);
  const parent = async () => (await repo.repository.parentsOf(wall))[0]?.changeId;

  // What stood on it goes back onto it.
  const abandoned = await engine.execute("change.abandon", { changeId: floor });
  expect(await parent()).not.toBe(floor);
  const undone = await fixture.execute("operation.undo", abandoned);
  expect(undone).toMatchObject({ kind: "undone", operation: expect.stringMatching(/^[0-9a-f]{8,}$/u) });
  expect(await parent()).toBe(floor);
  if (undone.kind !== "undone") throw new Error("It was refused.");
  const again = await fixture.execute("operation.undo", { operation: undone.operation });
  expect(again.kind).toBe("undone");
  expect(await subjects()).not.toContain("lay the floor");
  if (again.kind !== "undone") throw new Error("It was refused.");
  await fixture.execute("operation.undo", { operation: again.operation });

  // Somebody wrote to what the operation had moved.
  const second = await engine.execute("change.abandon", { changeId: floor });
  await repo.repository.describe(wall, "raise the wall and the roof");
  expect(await fixture.execute("operation.undo", second)).toEqual({
    kind: "refused",
    why: "Later changes build on it: “raise the wall and the roof”.",
    at: { changeId: wall, title: "raise the wall and the roof" },
  });
  expect(await subjects()).not.toContain("lay the floor");
  expect(await repo.repository.query("divergent()")).toEqual([]);
  await expect(fixture.execute("operation.undo", { operation: "0".repeat(64) })).rejects.toMatchObject({
    remedy: expect.any(String),
  });
}, 300_000);

test("a rebase of a change, of a merge and of their descendants is undone and redone by its operation", async () => {
  fixture = await createFixture();
  const { engine, repo } = fixture;
  const add = async (description: string, parents: readonly string[]) =>
    (await repo.repository.newChange({ description, parents })).changeId;
  const below = async (change: string) =>
    (await repo.repository.parentsOf(change)).map(({ changeId }) => changeId).sort();
  const [left, right, other] = [
    await add("left", ["main"]),
    await add("right", ["main"]),
    await add("other", ["main"]),
  ];
  const merge = await add("merge", [left, right]);
  const top = await add("top", [merge]);

  const moved = await engine.execute("change.rebase", { changeId: merge, onto: other });
  expect([await below(merge), await below(top)]).toEqual([[other], [merge]]);
  const undone = await fixture.execute("operation.undo", moved);
  expect([await below(merge), await below(top)]).toEqual([[left, right].sort(), [merge]]);
  if (undone.kind !== "undone") throw new Error("It was refused.");
  const again = await fixture.execute("operation.undo", undone);
  expect(again.kind).toBe("undone");
  expect(await below(merge)).toEqual([other]);

  // Moved once more, the first move is no more to be taken back: what it wrote stands elsewhere.
  const second = await engine.execute("change.rebase", { changeId: top, onto: left });
  await engine.execute("change.rebase", { changeId: top, onto: right });
  expect(await fixture.execute("operation.undo", second)).toEqual({
    kind: "refused",
    why: "It was moved in the meantime.",
    at: { changeId: top, title: "top" },
  });
  expect(await repo.repository.query("divergent()")).toEqual([]);
}, 300_000);

test("the undoing of a description or of metadata keeps what was written since, and refuses where the same was changed", async () => {
  fixture = await createFixture();
  const { engine, repo } = fixture;
  const { changeId } = await repo.repository.newChange({
    parents: ["main"],
    description: "Write the store\n\nHox-Kind: task\nHox-Priority: low\n",
  });
  const textOf = async () => (await repo.repository.change(changeId))?.description.trim();
  const one = fixture;
  const undo = (operation: string | null) => one.execute("operation.undo", { operation: operation ?? "" });

  const described = await engine.execute("change.describe", {
    changeId,
    description: "Write the view\n\nHox-Kind: task\nHox-Priority: low\n",
  });
  const raised = await engine.execute("change.setMetadata", {
    changeIds: [changeId],
    patch: { priority: "high" },
  });
  expect((await undo(described.operation)).kind).toBe("undone");
  expect(await textOf()).toBe("Write the store\n\nHox-Kind: task\nHox-Priority: high");
  const lowered = await undo(raised.operation);
  expect(await textOf()).toBe("Write the store\n\nHox-Kind: task\nHox-Priority: low");
  if (lowered.kind !== "undone") throw new Error(lowered.why);
  expect((await undo(lowered.operation)).kind).toBe("undone");
  expect(await textOf()).toBe("Write the store\n\nHox-Kind: task\nHox-Priority: high");

  await engine.execute("change.setMetadata", { changeIds: [changeId], patch: { priority: "critical" } });
  const at = { changeId, title: "Write the store" };
  expect(await undo(raised.operation)).toEqual({
    kind: "refused",
    why: "Its priority was changed in the meantime to critical.",
    at,
  });
  const first = await engine.execute("change.describe", { changeId, description: "One\n" });
  await engine.execute("change.describe", { changeId, description: "Two\n" });
  expect(await undo(first.operation)).toMatchObject({
    kind: "refused",
    why: "Its description was changed in the meantime.",
  });
  await engine.execute("change.abandon", { changeId });
  expect(await undo(first.operation)).toEqual({
    kind: "refused",
    why: "It is no longer on the graph.",
    at: null,
  });
}, 300_000);
