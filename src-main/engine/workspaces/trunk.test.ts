import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import type { Run } from "../ports.ts";
import { syncWithTrunk } from "./trunk.ts";

let made: TestRepository;
beforeEach(async () => {
  made = await createTestRepository({
    files: { "shared.txt": "1\n2\n3\n4\n5\n6\n7\n8\n", "other.txt": "other\n" },
  });
});
afterEach(() => made.remove());

/** A task in work and its merged sibling, and of a run only what taking that in asks of it; jj and files are real. */
async function siblings(merged: Readonly<Record<string, string>>) {
  const { repository, folder } = made;
  const { changeId: contracts } = await repository.newChange({
    parents: ["@-"],
    description: "contracts\n\nHox-Kind: contracts\nHox-Run: r1\n",
  });
  const task = async (name: string) => {
    const description = `${name}\n\nHox-Kind: task\nHox-Run: r1\n`;
    const { changeId } = await repository.newChange({ parents: [contracts], description });
    const place = join(folder, "workspaces", name);
    const { workspace } = await repository.addWorkspace({
      name,
      folder: place,
      change: changeId,
      edit: true,
    });
    return { changeId, workspace };
  };
  await mkdir(join(folder, "workspaces"));
  const [sibling, own] = [await task("agent-1"), await task("agent-2")];
  const write = async ({ workspace }: typeof own, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) await writeFile(join(workspace.folder, path), text);
  };
  await write(sibling, merged);
  await sibling.workspace.describe(
    sibling.changeId,
    "agent-1\n\nHox-Kind: task\nHox-Run: r1\nHox-Iteration: 1\n",
  );
  const places: string[] = [];
  const record = { name: "agent-2", role: "agent", changeId: own.changeId, conflict: null, parent: "O-A-1" };
  const run = {
    repository,
    config: { mergeRequests: { strategy: "rebase" } },
    row: { input: { root: "O-A-1" } },
    worker: () => ({ record: { ...record, trunkSync: null } }),
    workers: new Map(),
    orchestratorFacts: () => ({ trunk: [sibling.changeId], plan: null }),
    changes: new Map([[sibling.changeId, null]]),
    workspaces: { of: () => own.workspace },
    append: (event: { took: { place: string } }) => places.push(event.took.place),
    appendTranscript() {},
  } as unknown as Run;
  // As whoever schedules the run has done.
  await repository.changesOfRun("r1");
  return {
    ...{ contracts, own, sibling, places },
    write: (files: Readonly<Record<string, string>>) => write(own, files),
    save: (iteration: number) =>
      own.workspace.describe(
        own.changeId,
        `agent-2\n\nHox-Kind: task\nHox-Run: r1\nHox-Iteration: ${iteration}\n`,
      ),
    async sync(): Promise<number> {
      const before = repository.processCount();
      await syncWithTrunk(run, "agent-2", "again");
      return repository.processCount() - before;
    },
    async state() {
      const change = await repository.change(own.changeId);
      const [parent] = await repository.parentsOf(own.changeId);
      const text = async (path: string) =>
        new TextDecoder().decode(await repository.readFile(change?.commitId ?? "", path));
      return {
        conflict: change?.conflict,
        isOnSibling: parent?.changeId === sibling.changeId,
        isStale: (await own.workspace.updateStale()).updated,
        hasUnsaved: (await own.workspace.snapshot()).hasChanged,
        text,
      };
    },
  };
}

const moved = { conflict: false, isOnSibling: true, isStale: false, hasUnsaved: false };
const stayed = { ...moved, isOnSibling: false };

test("takes in a sibling's work in one process that records and updates the files", async () => {
  const { own, places, write, save, sync, state } = await siblings({ "one.txt": "one\n" });
  await write({ "two.txt": "two\n" });
  await save(1);
  await write({ "late.txt": "written since\n" });
  expect(await sync()).toBe(1);
  expect(places).toEqual(["trunk"]);
  const now = await state();
  expect(now).toMatchObject(moved);
  expect(await now.text("late.txt")).toBe("written since\n");
  expect(await readFile(join(own.workspace.folder, "one.txt"), "utf8")).toBe("one\n");
});

test("tries it first where both changed a file", async () => {
  const { places, write, save, sync, state } = await siblings({ "shared.txt": "one\n2\n3\n4\n5\n6\n7\n8\n" });
  await write({ "shared.txt": "1\n2\n3\n4\n5\n6\n7\ntwo\n" });
  await save(1);
  expect(await sync()).toBe(2);
  expect(places).toEqual(["trunk"]);
  const now = await state();
  expect(now).toMatchObject(moved);
  expect(await now.text("shared.txt")).toBe("one\n2\n3\n4\n5\n6\n7\ntwo\n");
});

test("leaves the change where it is if it would be in conflict, with its files recorded", async () => {
  const { places, write, save, sync, state } = await siblings({ "shared.txt": "one\n" });
  await write({ "shared.txt": "two\n" });
  await save(1);
  await write({ "late.txt": "written since\n" });
  await sync();
  expect(places).toEqual(["beside"]);
  const now = await state();
  expect(now).toMatchObject(stayed);
  expect(await now.text("late.txt")).toBe("written since\n");
});

test("leaves it there also if only what was written since it was recorded is in conflict", async () => {
  const { own, places, write, save, sync, state } = await siblings({ "shared.txt": "one\n" });
  await write({ "two.txt": "two\n" });
  await save(1);
  await write({ "shared.txt": "written since\n" });
  await sync();
  expect(places).toEqual(["beside"]);
  const now = await state();
  expect(now).toMatchObject(stayed);
  expect(await now.text("shared.txt")).toBe("written since\n");
  expect(await readFile(join(own.workspace.folder, "shared.txt"), "utf8")).toBe("written since\n");
});

test("finds a conflict of a file with a folder of its name", async () => {
  const { own, places, sync, save, state } = await siblings({ new: "a file\n" });
  await mkdir(join(own.workspace.folder, "new"));
  await writeFile(join(own.workspace.folder, "new", "one.txt"), "in a folder\n");
  await save(1);
  await sync();
  expect(places).toEqual(["beside"]);
  expect(await state()).toMatchObject(stayed);
});

test("loses nothing of a terminal that moves the change meanwhile", async () => {
  const { contracts, own, sibling, places, write, save, sync, state } = await siblings({
    "one.txt": "one\n",
  });
  await write({ "two.txt": "two\n" });
  await save(1);
  await write({ "late.txt": "written since\n" });
  await made.terminal([
    "describe",
    "--quiet",
    "-m",
    "said by the user\n\nHox-Kind: task\nHox-Run: r1",
    own.changeId,
  ]);
  await made.terminal(["new", "--quiet", "--no-edit", "-m", "between", "-B", own.changeId, "-A", contracts]);
  await sync();
  const now = await state();
  expect(now).toMatchObject({ conflict: false, isStale: false, hasUnsaved: false });
  expect(await now.text("late.txt")).toBe("written since\n");
  const change = await made.repository.change(own.changeId);
  expect(change?.description).toMatch(/^said by the user\n/u);
  expect(places).toEqual(["trunk"]);
  expect(await made.repository.isAncestor(sibling.changeId, own.changeId)).toBe(true);
});
