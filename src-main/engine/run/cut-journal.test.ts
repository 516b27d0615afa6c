import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../journal/journal.ts";
import { changesNamed } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const notices = (one: Fixture): string =>
  one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : [])).join("\n");

test("a run whose journal lost its end resumes from there, one with a damaged journal is reported as gone, and neither lands unasked", {
  tags: ["long"],
  timeout: 200_000,
}, async () => {
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  const id = await one.start();
  await one.card("land");
  const main = () => one.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "commit_id"]);
  const before = await main();
  const path = join(one.repo.folder, "state", "journal.sqlite");
  const copy = join(one.repo.folder, "copy.sqlite");
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
  /** The journal as a power cut would have left it at the card, and then damaged. */
  const replaced = (damage: () => void) => async () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    for (const suffix of ["", "-wal"]) copyFileSync(copy + suffix, path + suffix);
    damage();
  };

  await one.reopen(replaced(() => truncateSync(path, 50)));
  expect(one.engine.state()).toMatchObject({ run: null, inbox: [] });
  await expect.poll(() => notices(one)).toContain("The journal was damaged.");
  expect(await main()).toBe(before);

  const cut = Math.floor((statSync(`${copy}-wal`).size * 2) / 3) + 1;
  await one.reopen(replaced(() => truncateSync(`${path}-wal`, cut)));
  await expect.poll(() => notices(one)).toContain("The end of the journal");
  expect(one.engine.state().run?.id).toBe(id);
  const card = await one.card("land");
  expect(await main()).toBe(before);
  await one.execute("inbox.answer", { ...card, decision: { kind: "approve", bookmark: "main" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  const landed = (file: string) => one.repo.terminal(["file", "show", "-r", "main", file]);
  expect(await landed("src/index.txt")).toBe("the store\nthe view");
  expect(await landed("src/api.txt")).toBe("GET /users/:userId");
  expect(await changesNamed(one, "kind(task)")).toHaveLength(3);
  await one.engine.close();
  const journal = openJournal(path, () => 0);
  expect(journal.spending(id).length).toBeLessThanOrEqual(one.standIn.requests().length);
  journal.close();
});
