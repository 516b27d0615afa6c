import { access, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { locateStore, readHeads } from "./process/op-heads.ts";
import type { TestRepository } from "./testing/create-test-repository.ts";
import { createTestRepository } from "./testing/create-test-repository.ts";

let test: TestRepository;
afterEach(() => test.remove());

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("a repository", () => {
  it("reads the graph with names, flags and metadata", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const { changeId } = await repository.newChange({
      parents: ["@-"],
      description: "Add login\n\nHox-Kind: task\nHox-Status: open\nSigned-off-by: A <a@b.c>\n",
    });
    await repository.setBookmark("O-A-1/agent-42", changeId);
    const graph = await repository.readGraph();
    const task = graph.changes.find((change) => change.changeId === changeId);
    expect(task).toMatchObject({
      metadata: { kind: "task", status: "open" },
      author: { name: "Test", email: "test@example.org" },
      immutable: false,
      divergent: false,
      conflict: false,
    });
    expect(task?.parents).toHaveLength(1);
    expect(graph.refs.bookmarks["O-A-1/agent-42"]).toEqual([task?.commitId]);
    expect(Object.keys(graph.refs.workspaces)).toEqual(["default"]);
    expect(graph.changes.at(-1)).toMatchObject({ immutable: true, timestamp: 0, parents: [] });
    // A filtered graph keeps the names of what it does not show.
    const filtered = await repository.readGraph({ revset: 'description(glob:"*\\"none\\"*") | root()' });
    expect(filtered.changes.map((change) => change.changeId)).toEqual(["z".repeat(32)]);
    expect(filtered.refs).toEqual(graph.refs);
    expect(await terminal(["log", "--no-graph", "-r", "O-A-1/agent-42", "-T", "change_id"])).toBe(changeId);
  });

  it("applies deltas with the same result as a whole read", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    // Moving this bookmark makes commits immutable, or mutable again, without rewriting them.
    await test.configure("revset-aliases.'immutable_heads()' = 'present(keep)'\n");
    for (const revset of [undefined, "mutable() | bookmarks()"]) {
      const filter = revset === undefined ? {} : { revset };
      const before = await repository.readGraph(filter);
      const { changeId } = await repository.newChange({ parents: ["@-"], description: "one\n" });
      await terminal(["describe", "-m", "two", changeId, "--quiet"]);
      await terminal(["new", "-m", "three", "--quiet"]);
      await terminal(["describe", "-m", "two at once", changeId, "--at-op=@-", "--quiet"]);
      await terminal(["bookmark", "set", "-B", "keep", "-r", changeId, "--quiet"]);
      const operation = await repository.currentOperation();
      const delta = await repository.readDelta(before.operation, operation, filter);
      const rows = new Map(before.changes.map((change) => [change.commitId, change]));
      for (const id of delta.removed) rows.delete(id);
      for (const change of delta.added) rows.set(change.commitId, change);
      const after = await repository.readGraph({ ...filter, operation });
      const byId = (a: Change, b: Change) => a.commitId.localeCompare(b.commitId);
      expect([...rows.values()].sort(byId)).toEqual([...after.changes].sort(byId));
      expect(delta.refs).toEqual(after.refs);
    }
  });

  it("accepts any beginning of a description", async () => {
    test = await createTestRepository();
    const { repository } = test;
    const parents = ["@-"];
    for (const description of ["- a list\n", "--help\n", "--config=ui.editor=x\n"]) {
      const made = await repository.newChange({ parents, description });
      const filled = await repository.newChange({ parents, description, files: { "-a": "text" } });
      const below = await repository.insertAfter(made.changeId, { description });
      for (const { changeId } of [made, filled, below])
        expect(await repository.query(changeId)).toMatchObject([{ description }]);
      await repository.dryRun({ kind: "mutation", base: made.changeId, description, files: { b: "" } });
      await repository.squash({ from: filled.changeId, into: made.changeId, description });
      expect(await repository.query(made.changeId)).toMatchObject([{ description }]);
    }
  });

  it("reads a file of one endless line in one pass", async () => {
    test = await createTestRepository();
    const { repository } = test;
    const endless = "x".repeat(50_000_000);
    const { commitId } = await repository.newChange({
      parents: ["@-"],
      description: "huge\n",
      files: { huge: endless },
    });
    const begun = performance.now();
    expect((await repository.readTexts(commitId, ["huge"])).get("huge")).toBe(endless);
    // Searched anew with every chunk it took forty seconds, most of them without a pause for anyone else.
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it("knows which change each line of a file comes from", async () => {
    test = await createTestRepository({ files: { "a (1).txt": "one\ntwo\n" } });
    const { repository } = test;
    const [below] = await repository.commitsNamed("@-");
    await test.terminal(["new"]);
    await test.write("a (1).txt", "one\nTWO\n");
    const [top] = await repository.commitsNamed(
      (await test.terminal(["log", "--no-graph", "-r", "@", "-T", "change_id"])).trim(),
    );
    expect(await repository.lineOrigins(top?.commitId ?? "", "a (1).txt")).toEqual([
      below?.changeId,
      top?.changeId,
    ]);
    await expect(repository.lineOrigins(top?.commitId ?? "", "b.txt")).rejects.toThrow("b.txt");
  });

  it("leaves out texts that are not in the commit, for one file as for many", async () => {
    test = await createTestRepository({ files: { "a.txt": "a\n" } });
    const { repository } = test;
    expect(await repository.readTexts("@-", ["a.txt", "b.txt"])).toEqual(new Map([["a.txt", "a"]]));
    expect(await repository.readTexts("@-", ["b.txt"])).toEqual(new Map());
    await expect(repository.readTexts("nothing-of-that-name", ["b.txt"])).rejects.toThrow(
      "nothing-of-that-name",
    );
  });

  it("writes files into a new change without touching any working copy", async () => {
    test = await createTestRepository({ files: { "a.txt": "a\n", "gone.txt": "x\n" } });
    const { repository, folder } = test;
    await test.write("unsaved.txt", "half-typed\n");
    const odd = [
      "sp ace.txt",
      "ünïcödé/日本.txt",
      "-dash",
      "quote\"d'.txt",
      "new\nline.txt",
      "deep/er/x*y.txt",
    ];
    const made = await repository.newChange({
      parents: ["@-"],
      description: "files\n",
      files: Object.fromEntries([
        ...odd.map((path) => [path, `${path}!`]),
        ["a.txt", "b\n"],
        ["gone.txt", null],
      ]),
      actor: "O-A-1",
      request: "r 1",
    });
    const before = repository.processesByCommand()["file list"] ?? 0;
    const lists = await Promise.all([made.commitId, made.commitId].map((id) => repository.listFiles(id)));
    expect(lists.map((list) => [...list].sort())).toEqual(lists.map(() => [...odd, "a.txt"].sort()));
    // Whoever asks meanwhile waits for the same answer, and whoever asks later has it.
    await repository.listFiles(made.commitId);
    expect((repository.processesByCommand()["file list"] ?? 0) - before).toBe(1);
    for (const path of odd) expect(text(await repository.readFile(made.commitId, path))).toBe(`${path}!`);
    const changed = await repository.changedFiles(made.commitId);
    expect(changed).toContainEqual({ path: "gone.txt", kind: "removed" });
    expect(changed).toContainEqual({ path: "a.txt", kind: "modified" });
    expect(changed).toContainEqual({ path: "-dash", kind: "added" });
    expect(await repository.diff({ commit: made.commitId, paths: ["a.txt"] })).toContain("-a\n+b\n");
    expect(await repository.diff({ commit: made.commitId, paths: ["a.txt"] })).not.toContain("-dash");
    const whole = await repository.diff({ commit: made.commitId });
    expect(await repository.diff({ commit: made.commitId, limit: whole.length })).toBe(whole);
    const part = await repository.diff({ commit: made.commitId, limit: 30 });
    expect(whole.startsWith(part)).toBe(true);
    expect(part.length).toBeGreaterThan(30);
    expect(part.length).toBeLessThan(whole.length);
    expect(await repository.diff({ commit: made.commitId, from: made.commitId, limit: 0 })).toBe("");
    expect(await readFile(join(folder, "repo", "unsaved.txt"), "utf8")).toBe("half-typed\n");
    await expect(access(join(folder, "repo", "-dash"))).rejects.toThrow();
    const [operation] = await repository.operations({ limit: 1 });
    expect(operation).toMatchObject({ id: made.operation, actor: "O-A-1", request: "r 1" });
    const other = await repository.newChange({
      parents: [made.commitId],
      description: "b\n",
      files: { b: "b\n" },
    });
    const gone = "f".repeat(40);
    expect(await repository.diffs([made.commitId, other.commitId, gone])).toEqual(
      new Map([
        [other.commitId, await repository.diff({ commit: other.commitId })],
        [made.commitId, whole],
      ]),
    );
    await expect(repository.readFile(made.commitId, "nothing")).rejects.toMatchObject({
      kind: "no-such-path",
    });
    await expect(
      repository.newChange({ parents: ["@"], description: "x", files: { "../out": "x" } }),
    ).rejects.toMatchObject({ kind: "usage" });
    // What a user typed is not called a mistake of ours.
    await expect(repository.setBookmark("", made.commitId)).rejects.toMatchObject({
      kind: "usage",
      remedy: expect.stringMatching(/^jj does not accept .* here/u),
    });
  });

  it("says whether two commits hold the same files, with a process only for conflicts", async () => {
    test = await createTestRepository({ files: { "a.txt": "one\n" } });
    const { repository } = test;
    const make = async (files: Readonly<Record<string, string>>, parents: readonly string[] = ["@-"]) =>
      (await repository.newChange({ parents, description: "x\n", files })).commitId;
    const [one, again, other] = [
      await make({ "a.txt": "1\n" }),
      await make({ "a.txt": "1\n" }),
      await make({ "a.txt": "2\n" }),
    ];
    const [merge, twin] = [await make({}, [one, other]), await make({}, [other, one])];
    const before = repository.processCount();
    expect(await repository.hasSameFiles(one, again)).toBe(true);
    expect(await repository.hasSameFiles(one, other)).toBe(false);
    expect(await repository.hasSameFiles(merge, merge)).toBe(true);
    expect(repository.processCount()).toBe(before);
    expect(await repository.hasSameFiles(merge, one)).toBe(false);
    expect(await repository.hasSameFiles(merge, twin)).toBe(
      (await repository.diff({ commit: twin, from: merge })) === "",
    );
    expect(repository.processCount()).toBeGreaterThan(before);
  });

  it("reads the files of two commits once for concurrent callers", async () => {
    test = await createTestRepository();
    const { repository } = test;
    const make = (parent: string, path: string) =>
      repository.newChange({ parents: [parent], description: `${path}\n`, files: { [path]: "text\n" } });
    const { changeId: one } = await make("@-", "a.txt");
    const { changeId: other } = await make(one, "b.txt");
    const [from, commit] = await Promise.all(
      [one, other].map(async (id) => (await repository.query(id))[0]?.commitId ?? ""),
    );
    if (from === undefined || commit === undefined) throw new Error("no commits");
    const started = repository.processCount();
    const ask = () => repository.diffFiles({ from, commit });
    expect([...(await Promise.all([ask(), ask()])), await ask()]).toEqual([["b.txt"], ["b.txt"], ["b.txt"]]);
    expect(repository.processCount() - started).toBe(1);
  });

  it("patches the metadata of several changes in one operation and keeps the rest", async () => {
    test = await createTestRepository();
    const { repository } = test;
    const ids: string[] = [];
    for (const name of ["one", "two", "three"]) {
      const made = await repository.newChange({
        parents: ["@-"],
        description: `${name}\n\nBody  of ${name}.\n\n\nSigned-off-by: A <a@b.c>\n`,
      });
      ids.push(made.changeId);
    }
    const before = await repository.operations();
    const started = repository.processCount();
    const { operation } = await repository.setMetadata(
      ids.map((change, index) => ({ change, patch: { priority: "high", rank: `a${index}` } })),
      { actor: "hox" },
    );
    // One that reads and one that writes, however many they are.
    expect(repository.processCount() - started).toBe(2);
    const since = await repository.operations({ since: before[0]?.id ?? "" });
    expect(since.map(({ id }) => id)).toEqual([operation]);
    const [first] = await repository.query(ids[0] ?? "");
    expect(first?.description).toBe(
      "one\n\nBody  of one.\n\n\nSigned-off-by: A <a@b.c>\nHox-Priority: high\nHox-Rank: a0\n",
    );
    // Nothing to change is no operation; jj's own comment lines in a description are kept.
    expect((await repository.setMetadata([{ change: ids[0] ?? "", patch: { rank: "a0" } }])).operation).toBe(
      operation,
    );
    await repository.describe(ids[1] ?? "", "two\n\nJJ: kept\nas it is\n");
    await repository.setMetadata(ids.map((change) => ({ change, patch: { status: "open" } })));
    const [second] = await repository.query(ids[1] ?? "");
    expect(second?.description).toBe("two\n\nJJ: kept\nas it is\n\nHox-Status: open\n");
  });

  it("moves, squashes, abandons, names and undoes", async () => {
    test = await createTestRepository();
    const { repository } = test;
    const a = await repository.newChange({ parents: ["@-"], description: "a", files: { a: "a\n" } });
    const b = await repository.newChange({ parents: ["@-"], description: "b", files: { b: "b\n" } });
    await repository.rebase({ source: b.changeId, onto: [a.changeId] });
    expect(await repository.query(`${a.changeId}+ & ${b.changeId}`)).toHaveLength(1);
    await repository.setBookmark("here", b.changeId);
    await expect(repository.setBookmark("here", a.changeId)).rejects.toMatchObject({
      kind: "bookmark-backwards",
    });
    await repository.setBookmark("here", a.changeId, { allowBackwards: true });
    // Names that Git knows and jj's revsets do not.
    for (const name of ["fix#12", "a%b"]) await repository.setBookmark(name, b.changeId);
    expect(Object.keys((await repository.readGraph({ revset: "none()" })).refs.bookmarks)).toEqual(
      expect.arrayContaining(["fix#12", "a%b"]),
    );
    for (const name of ["fix#12", "a%b"]) await repository.deleteBookmark(name);
    const squashed = await repository.squash({ from: b.changeId, into: a.changeId });
    const [folded] = await repository.query(a.changeId);
    expect(folded?.description).toBe("a\n");
    expect(await repository.listFiles(folded?.commitId ?? "")).toEqual(["a", "b", "readme.md"]);
    await repository.describe("@", "later");
    await repository.revertOperation(squashed.operation);
    expect(await repository.query(b.changeId)).toHaveLength(1);
    expect((await repository.query("@"))[0]?.description).toBe("later\n");
    await repository.deleteBookmark("here");
    expect((await repository.readGraph()).refs.bookmarks).toEqual({});
    await repository.abandon(b.changeId);
    await expect(repository.query(b.changeId)).rejects.toMatchObject({ kind: "no-such-revision" });
    await expect(repository.describe("root()", "x")).rejects.toMatchObject({ kind: "immutable" });
    await expect(repository.query("a((")).rejects.toMatchObject({ kind: "revset" });
    await expect(repository.readGraph({ revset: "a) | (b" })).rejects.toMatchObject({ kind: "revset" });
    await expect(repository.readGraph({ operation: "ff".repeat(64) })).rejects.toMatchObject({
      kind: "no-such-operation",
    });
    const cancelled = AbortSignal.timeout(1);
    await expect(repository.readGraph({ signal: cancelled })).rejects.toMatchObject({ kind: "aborted" });
    expect((await readHeads(await locateStore(repository.root))).length).toBe(1);
  });

  it("waits for a lock of git that goes away", async () => {
    test = await createTestRepository();
    const { repository } = test;
    const lock = join(repository.root, ".git", "index.lock");
    await writeFile(lock, "");
    const freed = setTimeout(200).then(() => rm(lock));
    const { operation } = await repository.rebase({ revisions: "@", onto: ["root()"] });
    await freed;
    expect((await repository.operations({ limit: 1 }))[0]?.id).toBe(operation);
    expect(
      (await repository.operations()).filter(({ description }) => /rebase/.test(description)),
    ).toHaveLength(1);
  });

  it("computes dry runs and publishes nothing", async () => {
    test = await createTestRepository({ files: { "api.ts": "one\ntwo\nthree\n" } });
    const { repository } = test;
    const base = (await repository.query("@-"))[0]?.changeId ?? "";
    const agents = [];
    for (const word of ["ONE", "two!"]) {
      agents.push(
        await repository.newChange({
          parents: [base],
          description: word,
          files: { "api.ts": word === "ONE" ? "ONE\ntwo\nthree\n" : "one!\ntwo\nthree\n" },
        }),
      );
    }
    const [first, second] = agents;
    const before = await repository.currentOperation();
    const merge = await repository.dryRun({
      kind: "merge",
      parents: [first?.changeId ?? "", second?.changeId ?? ""],
    });
    const [merged] = await repository.query(`children(${first?.changeId}) & conflicts()`, merge);
    expect(await repository.conflictedFiles(merged?.commitId ?? "", merge)).toEqual([
      { path: "api.ts", sides: 2 },
    ]);
    const mutation = await repository.dryRun({
      kind: "mutation",
      base,
      description: "decision",
      files: { "api.ts": "uno\ntwo\nthree\n", "new/user.ts": "x\n" },
    });
    const hit = await repository.query("conflicts()", mutation);
    expect(hit.map(({ changeId }) => changeId).sort()).toEqual(agents.map(({ changeId }) => changeId).sort());
    const rebase = await repository.dryRun({
      kind: "rebase",
      source: first?.changeId ?? "",
      onto: [second?.changeId ?? ""],
    });
    expect(await repository.query("conflicts()", rebase)).toHaveLength(1);
    expect(await repository.currentOperation()).toBe(before);
    expect((await repository.operations({ limit: 1 }))[0]?.id).toBe(before);
    expect(await repository.query("conflicts()")).toHaveLength(0);
  });
});
