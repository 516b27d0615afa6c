import { existsSync } from "node:fs";
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import { openJournal } from "../../journal/journal.ts";
import { eventually } from "../../testing/kit.ts";
import { bent } from "../testing/breaking.ts";
import { agreeable, createFixture, type Fixture } from "../testing/run-fixture.ts";
import { neverDone, patientFiles, threeAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("workspaces of a finished run are deleted after confirmation, with all that jj can record saved and the rest kept", async () => {
  let held: string | null = null;
  fixture = await createFixture({
    script: { ...threeAgents, routes: { ...threeAgents.routes, "agent-3": neverDone } },
    files: patientFiles,
    around: (repository) =>
      bent(repository, (name, [workspace]) =>
        name === "removeWorkspace" && (workspace as Workspace).folder === held
          ? Promise.reject(new Error("EBUSY: resource busy or locked"))
          : undefined,
      ),
  });
  const one = fixture;
  const file = join(one.root, ".hox", "config.toml");
  const settings = await readFile(file, "utf8");
  await one.configure(`${settings}\n[workspace]\nmax_gb_per_agent = 0.00001\n`);
  const cards: InboxItem[] = [];
  const room = Promise.withResolvers<void>();
  one.answers = {
    ...agreeable,
    "align-request": () => null,
    trouble: async (item) => {
      cards.push(item);
      await room.promise;
      return { kind: "retry" };
    },
  };
  const id = await one.start();
  // Over its cap nobody works, and nothing of theirs is deleted; with more room the same work goes on.
  const view = (run: RunView) => run.workers.find((worker) => worker.name === "agent-3");
  const full = await one.until(
    (run) => cards.some((card) => card.kind === "trouble" && card.worker === "agent-3") && !!view(run),
  );
  expect(cards.find((card) => card.kind === "trouble" && card.worker === "agent-3")).toMatchObject({
    title: "The workspace of agent-3 has grown too large",
    detail: expect.stringMatching(/^Its workspace uses .+; workspace\.max_gb_per_agent allows 10 kB\.$/u),
    remedy: expect.stringContaining("Hox deletes nothing automatically"),
  });
  await one.configure(`${settings}\n[workspace]\nmax_gb_per_agent = 10\n`);
  const journal = openJournal(join(one.repo.folder, "state", "journal.sqlite"), () => 0);
  const cap = () => journal.config<Config>(id)?.workspace.maxGbPerAgent;
  await eventually(() => expect(cap()).toBe(10));
  journal.close();
  room.resolve();
  await one.until((run) => (view(run)?.iteration ?? 0) > (view(full)?.iteration ?? 0));
  await one.until((run) =>
    run.workers.some(
      (worker) => worker.name === "agent-3" && worker.status !== "open" && worker.workspace !== null,
    ),
  );
  // Nothing of a run that goes on is touched.
  expect(await one.execute("run.cleanUp")).toMatchObject({
    removed: [],
    kept: [],
    branches: [],
    messages: 0,
  });
  await one.execute("run.stop");
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
  // Left where a run ended while somebody judged a commit.
  const cutOff = join(one.repo.folder, "state", "checkouts", id);
  await mkdir(join(cutOff, "0123456789abcdef", "files"), { recursive: true });
  const first = await one.execute("run.cleanUp");
  expect(existsSync(cutOff)).toBe(false);
  expect(first.kept).toMatchObject([
    {
      folder,
      reason: expect.stringContaining("huge.bin"),
      remedy: expect.stringContaining("Move or delete the named files"),
    },
  ]);
  expect(first.removed.length).toBeGreaterThan(0);
  expect(first.removed.some((path) => existsSync(path))).toBe(false);

  await rm(huge);
  // One that the system does not let go of stays, with its reason, and is tried again with the next word.
  held = folder;
  expect((await one.execute("run.cleanUp")).kept).toMatchObject([
    { folder, reason: "It could not be removed: EBUSY: resource busy or locked" },
  ]);
  held = null;
  expect(await one.execute("run.cleanUp")).toMatchObject({
    removed: [folder],
    kept: [],
    branches: [],
    messages: 0,
  });
  expect(existsSync(folder)).toBe(false);
  const text = await one.repo.terminal(["file", "show", "-r", agent?.changeId ?? "", "late.txt"]);
  expect(text).toBe("typed after the end");
  expect(one.engine.state().run?.workers.every((worker) => worker.workspace === null)).toBe(true);
}, 300_000);
