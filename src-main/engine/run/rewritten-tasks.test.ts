import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("tasks rebased, squashed and abandoned by the user while agents work end clearly, and no unsaved file is lost", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  // The third one is in its second iteration: what it wrote in its first is recorded in its change.
  const release = one.standIn.hold(
    (seen) =>
      seen.role.startsWith("agent-") &&
      seen.turns >= 1 &&
      (seen.role !== "agent-3" || seen.prompt.includes("## Last checks")),
  );
  await one.start();
  const names = ["agent-1", "agent-2", "agent-3"] as const;
  const before = await one.until(({ workers }) =>
    names.every((name) =>
      workers.some(
        (worker) =>
          worker.name === name && worker.toolCalls >= 1 && (name !== "agent-3" || worker.iteration >= 1),
      ),
    ),
  );
  const of = (name: string) => before.workers.find((worker) => worker.name === name);
  const change = (name: string) => of(name)?.changeId ?? "";
  for (const name of names) await writeFile(join(of(name)?.workspace ?? "", `unsaved-${name}.txt`), name);

  await one.repo.terminal(["new", before.base ?? "", "-m", "a user's own"]);
  await one.repo.write("mine.txt", "mine\n");
  const mine = await one.repo.terminal(["log", "--no-graph", "-r", "@", "-T", "change_id"]);
  await one.repo.terminal(["rebase", "-s", change("agent-1"), "-o", mine]);
  await one.repo.terminal(["squash", "--from", change("agent-2"), "--into", mine, "-m", "a user's own"]);
  await one.repo.terminal(["abandon", change("agent-3")]);
  release();

  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(names.map((name) => run.workers.find((worker) => worker.name === name)?.status)).toEqual([
    "done",
    "abandoned",
    "abandoned",
  ]);
  const landed = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("unsaved-agent-1.txt")).toBe("agent-1");
  expect(await landed("mine.txt")).toBe("mine");
  expect(
    await one.repo.terminal(["log", "--no-graph", "-r", "divergent() | conflicts()", "-T", "change_id"]),
  ).toBe("");
  // Nobody's task any more, and still on the graph once the run has cleaned up behind itself.
  for (const name of ["agent-2", "agent-3"]) {
    const holders = ["log", "--no-graph", "-r", `files(root-file:"unsaved-${name}.txt")`, "-T", '"x"'];
    await expect.poll(() => one.repo.terminal(holders)).toContain("x");
  }
});
