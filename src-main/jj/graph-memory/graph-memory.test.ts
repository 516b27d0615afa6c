import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { ofRun as ofOneRun } from "../read/read-access.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { parseCommit } from "./commit-store.ts";
import { parseView } from "./graph-memory.ts";

let made: TestRepository;
beforeAll(async () => {
  made = await createTestRepository({ files: { "readme.md": "# Example\n", "shared.txt": "as it was\n" } });
});
afterAll(() => made.remove());

const ofRun = (title: string): string => `${title}\n\nHox-Kind: task\nHox-Run: r1\n`;
const byCommit = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((one, other) => (one.commitId < other.commitId ? -1 : 1));

let compared = "";
/** What changed since the last comparison: as memory says it, and as jj does; with the processes that memory took. */
async function compareDelta(): Promise<number> {
  const { repository } = made;
  const [from, to] = [compared, await repository.currentOperation()];
  compared = to;
  if (from === "") return 0;
  const before = repository.processCount();
  const remembered = await repository.readPublishedDelta(from, to);
  const processes = repository.processCount() - before;
  const known = await repository.readDelta(from, to);
  expect({
    ...remembered,
    added: byCommit(remembered.added),
    removed: remembered.removed.toSorted(),
  }).toEqual({
    ...known,
    added: byCommit(known.added),
    removed: known.removed.toSorted(),
  });
  return processes;
}

/** What memory says and what jj says, and how many processes memory took for it. */
async function compare({ isThorough = false } = {}) {
  const { repository } = made;
  const before = repository.processCount();
  const remembered = await repository.changesOfRun("r1");
  const refs = await repository.refs();
  const processes = repository.processCount() - before + (await compareDelta());
  const known = await repository.query(ofOneRun("r1"));
  expect(byCommit(remembered)).toEqual(byCommit(known));
  expect(refs).toEqual((await repository.readGraph({ revset: "none()" })).refs);
  for (const { commitId, changeId, parents, divergent } of known) {
    const places = remembered.map((one) => one.commitId);
    const below = parents.filter((parent) => places.includes(parent));
    expect(below.every((parent) => places.indexOf(parent) > places.indexOf(commitId))).toBe(true);
    if (divergent || !isThorough) continue;
    expect(byCommit(await repository.parentsOf(changeId))).toEqual(
      byCommit(await repository.query(`parents(${changeId})`)),
    );
    expect(byCommit(await repository.descendantsOf(changeId))).toEqual(
      byCommit(await repository.query(`${changeId}:: ~ ${changeId}`)),
    );
  }
  if (!isThorough) return processes;
  const ids = known.flatMap(({ changeId, divergent }) => (divergent ? [] : [changeId]));
  expect(byCommit(await repository.headsOf(ids))).toEqual(
    byCommit(await repository.query(`heads(${ids.map((id) => `present(${id})`).join(" | ")})`)),
  );
  for (const id of ids) {
    expect(byCommit(await repository.ancestorsAmong(ids, id))).toEqual(
      byCommit(await repository.query(`(${ids.join(" | ")}) & ::parents(${id})`)),
    );
    for (const to of ids)
      expect(byCommit(await repository.changesSince(id, to))).toEqual(
        byCommit(await repository.query(`${id}..${to}`)),
      );
    const spans = ids.map((to) => ({ from: id, to }));
    expect(byCommit(await repository.changesBetween(spans))).toEqual(
      byCommit(await repository.query(spans.map(({ from, to }) => `${from}::${to}`).join(" | "))),
    );
  }
  return processes;
}

it("this process's writes are cached without another process, and match jj", async () => {
  const { repository, folder, terminal } = made;
  const task = async (title: string, parents: readonly string[], files?: Record<string, string>) =>
    (await repository.newChange({ parents, description: ofRun(title), ...(files ? { files } : {}) }))
      .changeId;
  const base = await task("base", ["@-"], { "base.txt": "base\n" });
  await compare();
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => repository.setBookmark("O-A-1/agent-1", one),
    () => repository.describe(one, ofRun("one, told anew\n\nHäß 漢字")),
    () =>
      repository.setMetadata([
        { change: one, patch: { status: "done" } },
        { change: two, patch: { priority: "high" } },
      ]),
    async () => {
      ({ workspace } = await repository.addWorkspace({
        name: "agent-1",
        folder: join(folder, "agent-1"),
        change: two,
        edit: true,
      }));
    },
    async () => {
      await writeFile(join(folder, "agent-1", "shared.txt"), "of two\n");
      await workspace?.snapshot();
    },
    // Below everything, and with other words in the same file: above it there is a conflict now.
    () =>
      repository.insertAfter(base, {
        description: ofRun("decision"),
        files: { "shared.txt": "as decided\n" },
      }),
    () => workspace?.updateStale() ?? Promise.resolve(),
    () => repository.rebase({ source: two, onto: [one] }),
    () => task("merge", [one, three]),
    async () => repository.squash({ from: three, into: one }),
    () => repository.deleteBookmark("O-A-1/agent-1"),
    async () => workspace && repository.removeWorkspace(workspace),
    () => repository.abandon(two),
    () => task("a pattern, which stands on nothing", ["root()"]),
  ];
  let workspace: Awaited<ReturnType<typeof repository.addWorkspace>>["workspace"] | null = null;
  const [one, two, three] = [
    await task("one", [base], { "one.txt": "1\n" }),
    await task("two", [base]),
    await task("three", [base], { "three.txt": "3\n" }),
  ];
  expect(await compare({ isThorough: true })).toBe(0);
  for (const step of steps) {
    await step();
    expect(await compare()).toBe(0);
  }
  expect(await compare({ isThorough: true })).toBe(0);

  // A user's command is seen at once, and costs one read of the changes and one of what it did.
  await terminal(["describe", "--quiet", one, "-m", ofRun("in a terminal")]);
  expect(await compare()).toBe(2);
  await terminal(["new", "--quiet", "--no-edit", "-m", "a user's work on top", one]);
  await terminal(["bookmark", "set", "--quiet", "theirs", "-r", base]);
  expect(await compare()).toBe(2);
  await repository.describe(one, ofRun("ours again"));
  expect(await compare()).toBe(0);
  // What a change stands on may be immutable, which no file says.
  const { changeId } = await repository.newChange({ parents: ["@-"], description: "not of a run" });
  await task("on it", [changeId]);
  expect(await compare({ isThorough: true })).toBe(2);
}, 300_000);

it("two versions of one change are reported as jj does, until they are one again", async () => {
  const { repository, terminal } = made;
  const { changeId } = await repository.newChange({ parents: ["@-"], description: ofRun("crossed") });
  await compare();
  await repository.describe(changeId, ofRun("crossed by us"));
  await terminal(["describe", "--quiet", "--at-op=@-", "-m", ofRun("crossed by them"), changeId]);
  await compare();
  expect((await repository.changesOfRun("r1")).filter((one) => one.changeId === changeId)).toHaveLength(2);
  await terminal(["abandon", "--quiet", `change_id(${changeId}) & description(substring:"by them")`]);
  await compare();
});

it("a bookmark on an older change may make it immutable, which jj is asked about", async () => {
  const { repository, configure } = made;
  await repository.setBookmark("kept", "@-");
  await compare();
  await configure("revset-aliases.'immutable_heads()' = 'present(kept)'\n");
  await repository.setBookmark("kept", "root()", { allowBackwards: true });
  expect(await compare()).toBe(2);
});

it("trial merges and dry runs are read without a process", async () => {
  const { repository } = made;
  const { changeId: one } = await repository.newChange({
    parents: ["@-"],
    description: ofRun("collides"),
    files: { "shared.txt": "one\n" },
  });
  const { changeId: other } = await repository.newChange({
    parents: ["@-"],
    description: ofRun("collides too"),
    files: { "shared.txt": "other\n" },
  });
  await repository.changesOfRun("r1");
  const { operation } = await repository.dryRun({ kind: "rebase", source: other, onto: [one] });
  const before = repository.processCount();
  expect((await repository.change(other, { operation }))?.conflict).toBe(true);
  expect((await repository.conflictsOfRun("r1", { operation })).map(({ changeId }) => changeId)).toContain(
    other,
  );
  expect((await repository.change(other))?.conflict).toBe(false);
  expect(await repository.changedPaths((await repository.change(one))?.commitId ?? "")).toEqual([
    "shared.txt",
  ]);
  expect(repository.processCount() - before).toBeLessThanOrEqual(1);
});

it("an unknown view or commit format is left to jj", () => {
  expect(() => parseView(Buffer.from([0x0a, 0x7f, 0x01]))).toThrow(RangeError);
  const headers =
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000";
  const object = (text: string) => Buffer.from(`commit ${text.length}\0${text}`);
  expect(parseCommit("a".repeat(40), object(`${headers}\n\nby Git\n`))).toBeUndefined();
  expect(parseCommit("a".repeat(40), object(`${headers}\nchange-id k\n\nby jj\n`))?.change).toMatchObject({
    description: "by jj\n",
    timestamp: 1_000,
    parents: ["0".repeat(40)],
    author: { name: "A", email: "a@b" },
  });
});
