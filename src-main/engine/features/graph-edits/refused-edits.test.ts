import { afterEach, expect, test } from "vitest";
import { createFixture, type Fixture } from "../../testing/run-fixture.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

test("a person's hand on the graph is refused where it would break something", async () => {
  fixture = await createFixture();
  const one = fixture;
  const root = "zzzzzzzzzzzz";
  await expect(
    one.engine.execute("change.describe", { changeId: root, description: "x" }),
  ).rejects.toMatchObject({
    name: "EngineRefusal",
    remedy: expect.any(String),
  });
  await expect(
    one.engine.execute("change.describe", { changeId: "kkkkkkkk", description: "x" }),
  ).rejects.toMatchObject({ remedy: expect.any(String) });
  const [first] = await one.repo.repository.query("main");
  await expect(
    one.engine.execute("change.rebase", { changeId: first?.changeId ?? "", onto: first?.changeId ?? "" }),
  ).rejects.toThrow(/onto itself/);
  await expect(
    one.engine.execute("queue.move", {
      changeId: first?.changeId ?? "",
      priority: "high",
      above: null,
      below: null,
    }),
  ).rejects.toThrow(/Only tasks/);
  await expect(one.engine.execute("run.push", { bookmark: "main", moves: [] })).rejects.toMatchObject({
    remedy: expect.stringContaining("remote add"),
  });
  await expect(one.start({ onto: "all()" })).rejects.toThrow(/several changes/);
  await expect(one.start({ model: "no-such-model" })).rejects.toThrow(/no-such-model/);
  expect(one.engine.state().runs).toEqual([]);
}, 300_000);
