import { expect, test } from "vitest";
import { agreeable, createFixture, type Fixture, isJoined } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("an abandoned task is left out, and its agent's question is withdrawn", async () => {
  fixture = await createFixture();
  const one = fixture;
  // What is brought together stays as it is until it was read.
  one.answers = { ...agreeable, "align-request": () => null, land: () => null };
  await one.start();
  await one.card("align-request");
  const task = one.engine.state().run?.workers.find((w) => w.name === "agent-2");
  await one.repo.terminal(["abandon", "--ignore-working-copy", task?.changeId ?? ""]);
  const run = await one.until(isJoined);
  expect(run.workers.find((w) => w.name === "agent-2")?.status).toBe("abandoned");
  // What the others made is brought together without it.
  const files = await one.repo.terminal(["file", "list", "-r", run.integration ?? ""]);
  expect(files).toContain("src/view.txt");
  expect(files).not.toContain("src/api.txt");
}, 300_000);
