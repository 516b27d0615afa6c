import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { locateStore } from "../process/op-heads.ts";
import { createJj } from "../process/process.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { createQueue } from "../write/queue.ts";
import { createRestoreDescription } from "../write/restore-everything.ts";
import { createOwnWrites } from "./own-writes.ts";

let made: TestRepository;
beforeAll(async () => {
  made = await createTestRepository();
});
afterAll(() => made.remove());

it("this process's writes are told from others' by operation files alone", async () => {
  const { repository, folder, terminal } = made;
  const change = async (parents: readonly string[], files?: Record<string, string>) =>
    (await repository.newChange({ parents, description: "Ours\n", ...(files ? { files } : {}) })).changeId;
  const start = await repository.currentOperation();
  const one = await change(["@-"], { "a.txt": "a\n" });
  const two = await change([one]);
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder: join(folder, "agent-1"),
    change: two,
    edit: true,
  });
  await repository.insertAfter(one, { description: "Below\n", files: { "b.txt": "b\n" } });
  await workspace.updateStale();
  await writeFile(join(workspace.folder, "c.txt"), "c\n");
  const recorded = await workspace.describe(two, "Told with the files\n");
  expect(recorded).toMatchObject({ hasChanged: true, changeId: two, description: "Told with the files\n" });
  const ours = await repository.currentOperation();

  const processes = repository.processCount();
  expect(await repository.onlyOwnBetween(ours, ours)).toBe(true);
  expect(await repository.onlyOwnBetween(start, ours)).toBe(true);
  // Down to where the repository was made, which was somebody else.
  expect(await repository.onlyOwnBetween("an operation that is nowhere", ours)).toBe(false);
  const operations = await repository.operationsUpTo(ours, { limit: 100, since: start });
  expect([operations[0], operations.includes(start), operations.length > 4]).toEqual([ours, false, true]);
  expect(await repository.operationsUpTo(ours, { limit: 2 })).toEqual(operations.slice(0, 2));
  expect(repository.processCount()).toBe(processes);

  // Words of ours in somebody's argument are no mark, and ours on top of theirs do not hide it.
  const [newest] = await repository.operations({ limit: 1 });
  expect(newest).toMatchObject({ id: ours, actor: "hox" });
  await terminal(["describe", "-r", one, "-m", "jj --config hox.write=wabc"]);
  await repository.describe(two, "Told again\n");
  const after = await repository.currentOperation();
  expect(await repository.onlyOwnBetween(ours, after)).toBe(false);
  expect(await repository.mayBeDescribedSince(two, ours)).toBe(true);
});

it("a change keeps its description when others are written", async () => {
  const { repository } = made;
  const make = async (description: string) =>
    (await repository.newChange({ parents: ["@-"], description })).changeId;
  const [mine, other] = [await make("Mine\n"), await make("Other\n")];
  const before = await repository.currentOperation();
  await repository.setBookmark("here", other);
  await repository.rebase({ source: mine, onto: [other] });
  await repository.describe(other, "Other, told anew\n");
  expect(await repository.mayBeDescribedSince(mine, before)).toBe(false);
  expect(await repository.mayBeDescribedSince(other, before)).toBe(true);
  await repository.describe("here+", "By another name than its id\n");
  expect(await repository.mayBeDescribedSince(mine, before)).toBe(true);
});

it("a description written between the last look and our write is restored", async () => {
  const { repository, terminal } = made;
  const store = await locateStore(repository.root);
  const jj = createJj();
  const ownWrites = createOwnWrites(store);
  const queue = createQueue(jj, store, ownWrites);
  const restoreDescription = createRestoreDescription({
    root: repository.root,
    queue,
    ownWrites,
    reader: repository,
  });
  const { changeId } = await repository.newChange({ parents: ["@-"], description: "As read\n" });
  const write = async (text: string, meanwhile: () => Promise<unknown>) => {
    const since = await repository.currentOperation();
    await meanwhile();
    const { operation } = await queue.write({
      args: ["--ignore-working-copy", "describe", "--stdin", "-r", changeId],
      folder: repository.root,
      input: text,
      describes: [changeId],
    });
    const count = () => [...jj.counts().values()].reduce((sum, one) => sum + one, 0);
    const before = count();
    const kept = await restoreDescription(changeId, since, operation, {});
    return { kept: kept?.description ?? null, processes: count() - before };
  };
  const description = async () => (await repository.query(changeId))[0]?.description;
  expect(await write("Ours\n", async () => undefined)).toEqual({ kept: null, processes: 0 });
  expect(await write("Ours again\n", () => terminal(["new", "--no-edit", "-m", "Another"]))).toMatchObject({
    kept: null,
  });
  expect(await description()).toBe("Ours again\n");
  const written = await write("Ours once more\n", () =>
    terminal(["describe", "-r", changeId, "-m", "Theirs"]),
  );
  expect(written.kept).toBe("Theirs\n");
  expect(await description()).toBe("Theirs\n");
});
