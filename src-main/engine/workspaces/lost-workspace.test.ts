import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const notices = (one: Fixture): readonly string[] =>
  one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));

test("workspaces deleted or forgotten by hand, during and without work, are recreated and reported", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  const held = (...roles: readonly string[]) =>
    one.standIn.hold((seen) => roles.includes(seen.role) && seen.turns >= 1);
  const release = held("agent-1", "agent-2");
  const third = held("agent-3");
  await one.start();
  const run = await one.until(({ workers }) =>
    ["agent-1", "agent-2", "agent-3"].every((name) =>
      workers.some((worker) => worker.name === name && worker.toolCalls >= 1),
    ),
  );
  const folderOf = (name: string) => run.workers.find((worker) => worker.name === name)?.workspace ?? "";
  // Deleted under one, forgotten under another whose last words jj has not recorded.
  await rm(folderOf("agent-1"), { recursive: true });
  await writeFile(join(folderOf("agent-2"), "unsaved.txt"), "hours of work\n");
  await one.repo.terminal(["workspace", "forget", "agent-2"]);
  release();
  await one.until(
    () =>
      notices(one).some((text) => text.includes("agent-1")) &&
      notices(one).some((text) => text.includes("agent-2")),
  );
  await one.reopen(async () => {
    await rm(folderOf("agent-3"), { recursive: true, force: true });
  });
  third();
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  const landed = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("src/index.txt")).toBe("the store\nthe view");
  expect(await landed("src/api.txt")).toBe("GET /users/:userId");
  expect(await landed("src/view.txt")).toBe("shows users");
  const kept = (await readdir(dirname(folderOf("agent-2")))).find((name) => name.startsWith("agent-2 kept"));
  expect(existsSync(join(dirname(folderOf("agent-2")), kept ?? "", "unsaved.txt"))).toBe(true);
  expect(notices(one).some((text) => text.startsWith("Workspace of agent-3 was deleted"))).toBe(true);
});
