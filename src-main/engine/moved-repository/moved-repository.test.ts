import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requestsOf } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const notices = (one: Fixture): string =>
  one.events
    .flatMap((event) => (event.kind === "notice" ? [`${event.text} ${event.remedy}`] : []))
    .join("\n");

test("a repository moved while its agents work stops them with a remedy, and resumes when it is opened next", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  one.answers = { ...agreeable, trouble: () => null };
  const names = ["agent-1", "agent-2", "agent-3"];
  // All three in the middle of their work: whoever is done needs nothing more.
  const release = one.standIn.hold((seen) => names.includes(seen.role) && seen.turns >= 1);
  const id = await one.start();
  const before = await one.until(() =>
    names.every((name) => requestsOf(one, name).some(({ seen }) => seen.turns >= 1)),
  );
  const { workspace } = before.workers.find((w) => w.name === "agent-1") ?? {};
  const old = one.root;
  const moved = join(one.repo.folder, "elsewhere");
  await rename(old, moved);
  release();
  const card = await one.card("trouble");
  await one.until((run) => run.workers.filter((w) => /error/u.test(w.activity)).length === 3);
  // One for all of them.
  expect(one.engine.state().inbox).toEqual([card]);
  expect(card).toMatchObject({
    worker: null,
    title: "The repository was moved or deleted",
    detail: expect.stringMatching(/The folder .* does not exist/u),
    remedy: expect.stringMatching(/moved or renamed.*open it at its new place/u),
  });
  await writeFile(join(workspace ?? "", "unsaved.txt"), "hours of work\n");
  // What could not be recorded is said, and does not keep it from closing.
  await expect(one.engine.close()).rejects.toMatchObject({ kind: "folder-gone" });
  // It has closed, and would say the same again.
  one.engine = { ...one.engine, close: async () => undefined };

  one.answers = { ...agreeable, trouble: () => null };
  await one.reopen(async () => ({ root: moved }));
  expect(one.engine.state().run?.id).toBe(id);
  expect(notices(one)).toContain(`moved here from ${old}`);
  expect(await readFile(join(workspace ?? "", "unsaved.txt"), "utf8")).toBe("hours of work\n");
  // That it was opened is the answer.
  expect(one.engine.state().inbox.filter((item) => item.kind === "trouble")).toEqual([]);
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.budget.spent.microDollars).toBeGreaterThanOrEqual(before.budget.spent.microDollars);
  const landed = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path], { cwd: moved });
  expect(await landed("src/index.txt")).toBe("the store\nthe view");
  expect(await landed("unsaved.txt")).toBe("hours of work");
  expect(existsSync(old)).toBe(false);
});
