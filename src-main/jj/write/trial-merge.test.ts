import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

const lines = (over: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, at) => `${over[at] ?? `line ${at}`}\n`).join("");

const shownOperations = ["op", "log", "--no-graph", "--ignore-working-copy", "-T", 'id ++ "\\n"'];

let repo: TestRepository;
beforeEach(async () => {
  repo = await createTestRepository({
    files: { "api.ts": lines(), "store.ts": lines(), "old.txt": "old\n" },
  });
});
afterEach(() => repo.remove());

async function change(files: Readonly<Record<string, string | null>>, parents = ["@-"]): Promise<string> {
  const { changeId } = await repo.repository.newChange({ parents, description: "a task\n", files });
  return changeId;
}

/** What a trial answers, how many processes it took, and that nobody can see that it was made. */
async function trial(changes: readonly string[]) {
  const { repository } = repo;
  const operations = await repo.terminal(shownOperations);
  const before = repository.processCount();
  const found = await repository.trialMerge(changes);
  const processes = repository.processCount() - before;
  expect(await repo.terminal(shownOperations)).toBe(operations);
  const numbered = (pairs: (typeof found)[number]["pairs"]) =>
    pairs.map((pair) => pair.map((one) => changes.indexOf(one)).sort()).sort();
  const meetings = found.map(({ path, pairs }) => ({ path, pairs: numbered(pairs) }));
  const places = found.flatMap(({ places }) =>
    places.map(({ from, to, pairs }) => ({ from, to, pairs: numbered(pairs) })),
  );
  return { meetings, processes, places };
}

test("edits of the same line conflict; edits of different files take one process and do not", async () => {
  const one = await change({ "api.ts": lines({ 3: "one" }) });
  const other = await change({ "api.ts": lines({ 3: "other" }), "new.ts": "new\n" });
  const apart = await change({ "store.ts": lines({ 3: "apart" }), "api.ts": lines({ 15: "apart" }) });
  expect(await trial([one, other, apart])).toEqual({
    meetings: [{ path: "api.ts", pairs: [[0, 1]] }],
    processes: 3,
    places: [{ from: 4, to: 4, pairs: [[0, 1]] }],
  });
  expect(await trial([one, apart])).toEqual({ meetings: [], processes: 1, places: [] });
  expect(await trial([one])).toEqual({ meetings: [], processes: 0, places: [] });
});

test("among several edits of one file only those in the same place conflict", async () => {
  const tasks = [
    await change({ "api.ts": lines({ 3: "first" }) }),
    await change({ "api.ts": lines({ 3: "second", 9: "second" }) }),
    await change({ "api.ts": lines({ 9: "third" }) }),
    await change({ "api.ts": lines({ 3: "first" }) }),
    await change({ "api.ts": lines({ 17: "fifth" }) }),
  ];
  const pairs = [
    [0, 1],
    [1, 2],
    [1, 3],
  ];
  expect((await trial(tasks)).meetings).toEqual([{ path: "api.ts", pairs }]);
});

test("in a stack of changes the one that wrote the file conflicts, not the topmost", async () => {
  const below = await change({ "api.ts": lines({ 3: "below" }) });
  const above = await change({ "store.ts": lines({ 3: "above" }) }, [below]);
  const sibling = await change({ "api.ts": lines({ 3: "beside" }) });
  expect((await trial([below, above, sibling])).meetings).toEqual([{ path: "api.ts", pairs: [[0, 2]] }]);
});

test("a deletion conflicts with an edit, and a file with a folder of its name", async () => {
  const tasks = [
    await change({ "old.txt": null, "deep/name": "a file\n" }),
    await change({ "old.txt": "old and edited\n" }),
    await change({ "deep/name/inside.txt": "a folder\n" }),
  ];
  expect((await trial(tasks)).meetings).toEqual([
    { path: "deep/name", pairs: [[0, 2]] },
    { path: "old.txt", pairs: [[0, 1]] },
  ]);
});

test("existing conflicts are not reported, an ancestor does not conflict, and missing changes are left out", async () => {
  const base = await change({ "api.ts": lines({ 3: "base" }) });
  const contradicted = await change({ "api.ts": lines({ 3: "task" }), "store.ts": lines({ 1: "task" }) }, [
    base,
  ]);
  const calm = await change({ "api.ts": lines({ 3: "base", 12: "calm" }) }, [base]);
  const above = await change({ "api.ts": lines({ 3: "base", 12: "above" }) }, [calm]);
  const other = await change({ "store.ts": lines({ 1: "other" }) }, [base]);
  const gone = await change({ "api.ts": lines({ 12: "gone" }) }, [base]);
  await repo.repository.abandon(gone);
  await repo.repository.insertAfter(base, {
    description: "a decision\n",
    files: { "api.ts": lines({ 3: "decided" }) },
  });
  const [{ conflict } = { conflict: false }] = await repo.repository.query(contradicted);
  expect(conflict).toBe(true);
  expect((await trial([contradicted, calm, above, other, gone])).meetings).toEqual([
    { path: "store.ts", pairs: [[0, 3]] },
  ]);
});

test("changes of a run whose files are known take no process where they write none in common, and two where they meet", async () => {
  const { repository } = repo;
  const task = (files: Readonly<Record<string, string>>) =>
    repository.newChange({ parents: ["@-"], description: "a task\n\nHox-Run: run-1\n", files });
  const made = [
    await task({ "api.ts": lines({ 3: "one" }) }),
    await task({ "api.ts": lines({ 3: "other" }), "new/file.ts": "new\n" }),
    await task({ "store.ts": lines({ 3: "apart" }) }),
    await task({ new: "where others have a folder\n" }),
  ].map(({ changeId }) => changeId);
  for (const { commitId } of await repository.changesOfRun("run-1")) await repository.changedPaths(commitId);
  const [one = "", other = "", apart = "", file = ""] = made;
  const none = { meetings: [], places: [], processes: 0 };
  expect(await trial([one, apart])).toEqual(none);
  const found = { meetings: [{ path: "api.ts", pairs: [[0, 1]] }], processes: 2 };
  expect(await trial([one, other, apart])).toMatchObject(found);
  expect(await trial([other, one, apart])).toMatchObject({ ...found, processes: 0 });
  expect((await trial([other, file])).meetings).toEqual([{ path: "new", pairs: [[0, 1]] }]);
});

test("sixteen conflicting heads take three processes", async () => {
  const tasks = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      change({ "api.ts": lines({ 5: `task ${at}` }), [`own-${at}.ts`]: "own\n" }),
    ),
  );
  const { meetings, processes } = await trial(tasks);
  expect(processes).toBe(3);
  expect(meetings.map(({ path, pairs }) => [path, pairs.length])).toEqual([["api.ts", 120]]);
});

test("a pair is named by who wrote the lines, also once others are on top of their work", async () => {
  const merged = await change({ "api.ts": lines({ 3: "of the merged one" }) });
  const above = await change({ "api.ts": lines({ 3: "of the merged one", 15: "of the one above" }) }, [
    merged,
  ]);
  const other = await change({ "api.ts": lines({ 3: "of the other" }) });
  const { meetings, processes, places } = await trial([merged, above, other]);
  expect(meetings).toEqual([{ path: "api.ts", pairs: [[0, 2]] }]);
  expect(places).toEqual([{ from: 4, to: 4, pairs: [[0, 2]] }]);
  expect(processes).toBe(4);
});

test("all who wrote in a place are named, and each place names its own", async () => {
  const merged = await change({ "api.ts": lines({ 3: "merged", 4: "merged too" }) });
  const above = await change({ "api.ts": lines({ 3: "merged", 4: "above", 15: "above" }) }, [merged]);
  const other = await change({ "api.ts": lines({ 3: "other", 4: "other too", 15: "other" }) });
  const { meetings, places } = await trial([merged, above, other]);
  const [both, top] = [
    [
      [0, 2],
      [1, 2],
    ],
    [[1, 2]],
  ];
  expect(meetings).toEqual([{ path: "api.ts", pairs: both }]);
  expect(places).toEqual([
    { from: 4, to: 5, pairs: both },
    { from: 16, to: 16, pairs: top },
  ]);
});
