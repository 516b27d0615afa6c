import { existsSync } from "node:fs";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Workspace } from "../../jj/repository-interface.ts";
import { bent } from "../testing/breaking.ts";
import { agreeable, createFixture, type Fixture } from "../testing/run-fixture.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

test("the workspaces of a run that is over go on a person's word, with all that jj can record saved and the rest kept", async () => {
  let held: string | null = null;
  fixture = await createFixture({
    around: (repository) =>
      bent(repository, (name, [workspace]) =>
        name === "removeWorkspace" && (workspace as Workspace).folder === held
          ? Promise.reject(new Error("EBUSY: resource busy or locked"))
          : undefined,
      ),
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) =>
    run.workers.some(
      (worker) => worker.name === "agent-3" && worker.status !== "open" && worker.workspace !== null,
    ),
  );
  // Nothing of a run that goes on is touched.
  expect(await one.engine.cleanUp()).toEqual({ removed: [], kept: [] });
  await one.engine.stop();
  const stopped = await one.until((run) =>
    run.workers.every((worker) => worker.workspace === null || worker.diskBytes != null),
  );
  const agent = stopped.workers.find((worker) => worker.name === "agent-3");
  const folder = agent?.workspace ?? "";
  expect(agent?.diskBytes).toBeGreaterThan(0);

  await writeFile(join(folder, "late.txt"), "typed after the end\n");
  const huge = join(folder, "huge.bin");
  await writeFile(huge, "");
  await truncate(huge, 65 * 2 ** 20);
  const first = await one.engine.cleanUp();
  expect(first.kept).toMatchObject([
    {
      folder,
      reason: expect.stringContaining("huge.bin"),
      remedy: expect.stringContaining("Move the named files"),
    },
  ]);
  expect(first.removed.length).toBeGreaterThan(0);
  expect(first.removed.some((path) => existsSync(path))).toBe(false);

  await rm(huge);
  // One that the system does not let go of stays, with its reason, and is tried again with the next word.
  held = folder;
  expect((await one.engine.cleanUp()).kept).toMatchObject([
    { folder, reason: "It could not be removed: EBUSY: resource busy or locked" },
  ]);
  held = null;
  expect(await one.engine.cleanUp()).toEqual({ removed: [folder], kept: [] });
  expect(existsSync(folder)).toBe(false);
  const text = await one.repo.terminal(["file", "show", "-r", agent?.changeId ?? "", "late.txt"]);
  expect(text).toBe("typed after the end");
  expect(one.engine.state().run?.workers.every((worker) => worker.workspace === null)).toBe(true);
}, 300_000);
