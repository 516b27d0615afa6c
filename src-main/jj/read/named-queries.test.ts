import { afterAll, beforeAll, expect, it } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { rootCommit, userBase } from "../ports/graph-reader.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let made: TestRepository;
/** The user's own first change. */
let first: Change;
beforeAll(async () => {
  made = await createTestRepository();
  const found = await made.repository.change(userBase);
  if (!found) throw new Error("There is no first change.");
  first = found;
});
afterAll(() => made.remove());

const subjects = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ description }) => description.split("\n")[0] ?? "").toSorted();

/** A task of a run; `null`: a change of a user. */
async function change(
  title: string,
  {
    parents = [first.commitId],
    run = null,
    kind = "task",
    files = {},
  }: {
    readonly parents?: readonly string[];
    readonly run?: string | null;
    readonly kind?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<string> {
  const trailers = run === null ? "" : `\nHox-Kind: ${kind}\nHox-Run: ${run}\n`;
  const { changeId } = await made.repository.newChange({
    parents,
    description: `${title}\n${trailers}`,
    ...(Object.keys(files).length > 0 ? { files } : {}),
  });
  return changeId;
}

it("finds ancestors and descendants, of runs' changes and of the user's own, and leaves out missing ones", async () => {
  const { repository, terminal } = made;
  for (const run of ["r-below", null]) {
    const base = await change("base", { run });
    const one = await change("one", { run, parents: [base] });
    const two = await change("two", { run, parents: [base] });
    const top = await change("top", { run, parents: [one] });
    const gone = await change("gone", { run });
    await repository.abandon(gone);

    expect(subjects(await repository.ancestorsAmong([base, two, one, top], top))).toEqual(["base", "one"]);
    expect(subjects(await repository.ancestorsAmong([base, gone], two))).toEqual(["base"]);
    expect(await repository.ancestorsAmong([], two)).toEqual([]);
    expect(subjects(await repository.descendantsAmong([base, two, one, gone], one))).toEqual(["one"]);
    expect(subjects(await repository.descendantsAmong([base, two, one, top], base))).toEqual([
      "base",
      "one",
      "top",
      "two",
    ]);
    expect(await repository.descendantsAmong([base, top], gone)).toEqual([]);
    expect(await repository.descendantsAmong([], base)).toEqual([]);
    const spans = [
      { from: base, to: top },
      { from: two, to: two },
    ];
    expect(subjects(await repository.changesBetween(spans))).toEqual(["base", "one", "top", "two"]);
    expect(
      subjects(
        await repository.changesBetween([
          { from: gone, to: top },
          { from: two, to: top },
        ]),
      ),
    ).toEqual([]);
    expect(
      subjects(
        await repository.changesBetween([
          { from: gone, to: gone },
          { from: one, to: top },
        ]),
      ),
    ).toEqual(["one", "top"]);
    expect(subjects(await repository.changesSince(two, top))).toEqual(["one", "top"]);
    expect(subjects(await repository.changesSince(null, top))).toEqual(["base", "first", "one", "top"]);
    expect(subjects(await repository.changesSince(rootCommit, top, { limit: 1 }))).toEqual(["top"]);
    expect(subjects(await repository.changesBeyond([top], [two]))).toEqual(["one", "top"]);
    expect(subjects(await repository.changesBeyond([one, two], [base, gone]))).toEqual(["one", "two"]);
    expect(subjects(await repository.changesBeyond([two], []))).toEqual(["base", "first", "two"]);
    expect(await repository.changesBeyond([gone], [base])).toEqual([]);
    expect(await repository.changesBeyond([], [base])).toEqual([]);
  }
  expect(await terminal(["log", "--no-graph", "-r", "divergent()"])).toBe("");
});

it("a name means one change, none, or the commits of a divergent one", async () => {
  const { repository, terminal } = made;
  const one = await change("crossed", { run: "r-named" });
  const [only, ...others] = await repository.commitsNamed(one);
  expect(only).toMatchObject({ changeId: one });
  expect(others).toEqual([]);
  expect(await repository.commitsNamed(only?.commitId ?? "")).toEqual([only]);
  expect(await repository.commitsNamed("k".repeat(32))).toEqual([]);
  await terminal(["describe", "--quiet", "-m", "crossed by one", one]);
  await terminal(["describe", "--quiet", "--at-op=@-", "-m", "crossed by the other", one]);
  expect(await repository.commitsNamed(one)).toHaveLength(2);
  await terminal(["abandon", "--quiet", `change_id(${one})`]);
});

it("finds a change by a line of its description with any characters", async () => {
  const { repository } = made;
  const { changeId } = await repository.newChange({
    parents: [first.commitId],
    description: 'With a mark\n\nHox-Approval: a.(1) "b" \\n [c]\n',
  });
  expect(await repository.changeWithLine('Hox-Approval: a.(1) "b" \\n [c]')).toMatchObject({ changeId });
  expect(await repository.changeWithLine("Hox-Approval: a")).toBeNull();
  expect(await repository.changeWithLine('Hox-Approval: ax(1) "b" \\n [c]')).toBeNull();
});

it("finds a change's decisions, oldest first, and no other's", async () => {
  const { repository } = made;
  const decide = (title: string, parent: string) =>
    repository.newChange({ parents: [parent], description: `${title}\n\nHox-Kind: mutation\n` });
  const one = await decide("Dollars are cents", first.commitId);
  const two = await decide("Names are short", one.commitId);
  await decide("Beside them", first.commitId);
  const top = await repository.newChange({ parents: [two.commitId], description: "Work\n" });
  const titles = async (commits: readonly string[], limit = 9) =>
    (await repository.decisionsBelow(commits, { limit })).map(({ changeId }) => changeId);
  expect(await titles([top.commitId])).toEqual([one.changeId, two.changeId]);
  expect(await titles([top.commitId], 1)).toEqual([two.changeId]);
  expect(await titles([first.commitId])).toEqual([]);
  expect(await titles(["f".repeat(40)])).toEqual([]);
  expect(await titles([])).toEqual([]);
});

it("tells changes with files from those without, also in a restore's outcome", async () => {
  const { repository } = made;
  const written = await change("written", { run: "r-files", files: { "a.txt": "a\n" } });
  const above = await change("above", { run: "r-files", parents: [written], files: { "a.txt": "b\n" } });
  const empty = await change("empty", { run: "r-files", parents: [above] });
  const commits = (await repository.changesOf([written, above, empty])).map(({ commitId }) => commitId);
  expect(subjects(await repository.changesWithFiles(commits))).toEqual(["above", "written"]);
  expect(await repository.changesWithFiles([])).toEqual([]);

  const { operation } = await repository.dryRun({ kind: "restore", change: written });
  const without = await repository.changesOf([written, above, empty], { operation });
  expect(subjects(without.filter(({ conflict }) => conflict))).toEqual(["above", "empty"]);
  expect((await repository.changesOf([above])).map(({ conflict }) => conflict)).toEqual([false]);
});

it("several changes are abandoned at once, and a missing one is no error", async () => {
  const { repository } = made;
  const [one, other, gone] = [await change("one"), await change("other"), await change("gone")];
  const hidden = (await repository.change(gone))?.commitId ?? "";
  await repository.abandon(gone);
  const again = await repository.abandon([hidden, gone]);
  expect(again.operation).toBe(await repository.currentOperation());
  await repository.abandon([one, hidden, other]);
  for (const id of [one, other, gone]) expect(await repository.change(id)).toBeNull();
});

it("finds what was built on a commit: branches and changes, and no empty working copy", async () => {
  const { repository, terminal } = made;
  const base = await change("landed");
  const commit = (await repository.change(base))?.commitId ?? "";
  expect(await repository.builtOn(commit)).toBeNull();
  await terminal(["new", "--quiet", base]);
  expect(await repository.builtOn(commit)).toBeNull();
  await made.write("mine.txt", "mine\n");
  await terminal(["describe", "--quiet", "-m", "mine"]);
  expect((await repository.builtOn(commit))?.description).toBe("mine\n");
  await terminal(["edit", "--quiet", base]);
});

it("finds the commit of a remote branch", async () => {
  const { repository, terminal, folder } = made;
  await repository.setBookmark("fix#12", first.commitId);
  await terminal(["git", "init", "--quiet", "--no-colocate", `${folder}/server`]);
  await terminal(["git", "remote", "add", "origin", `${folder}/server/.jj/repo/store/git`]);
  await terminal(["git", "push", "--quiet", "--remote", "origin", "--bookmark", 'exact:"fix#12"']);
  expect(await repository.remoteBranch("origin", "fix#12")).toMatchObject({ commitId: first.commitId });
  expect(await repository.remoteBranch("origin", "fix")).toBeNull();
  expect(await repository.remoteBranch("elsewhere", "fix#12")).toBeNull();
});

it("finds what runs have left: messages, work on no branch, and what did not land", async () => {
  const { repository, terminal } = made;
  const landed = await change("landed task", { run: "r-over", files: { "l.txt": "l\n" } });
  await change("left task", { run: "r-over", files: { "w.txt": "w\n" } });
  await change("message", { run: "r-over", kind: "message" });
  const asked = await change("asked", { run: "r-over", kind: "message" });
  await change("answer", { run: "r-over", kind: "message", parents: [asked] });
  await change("agent's task", { run: "r-going", files: { "g.txt": "g\n" } });
  await change("message of now", { run: "r-going", kind: "message" });
  const learned = await change("learned", { run: "r-over", kind: "pattern", files: { "p.md": "p\n" } });
  const task = await change("assigned", { run: "r-over", files: { "t.txt": "t\n" } });
  await repository.setBookmark("hox-patterns", learned);
  await repository.setBookmark("O-A-1/agent-1", task);
  // A user's words that only look like it: the last paragraph alone says whose a change is.
  await terminal([
    "new",
    "--quiet",
    "--no-edit",
    "-m",
    "theirs\n\nHox-Run: r-over\nHox-Kind: message\n\nis a line",
    "root()",
  ]);

  const over = { except: "r-going" };
  expect(subjects(await repository.messagesOf({ only: "r-over" }))).toEqual(["answer", "message"]);
  expect(subjects(await repository.messagesOf(over))).toEqual(["answer", "message"]);
  expect(subjects(await repository.messagesOf({ except: null }))).toEqual([
    "answer",
    "message",
    "message of now",
  ]);
  expect(
    subjects((await repository.workOf(over)).filter(({ metadata }) => metadata.run === "r-over")),
  ).toEqual(["assigned", "landed task", "left task"]);
  const commit = (await repository.change(landed))?.commitId ?? "";
  expect(subjects(await repository.unlandedOf("r-over", commit))).toEqual([
    "answer",
    "asked",
    "left task",
    "message",
  ]);
  await repository.setBookmark("main", landed);
  expect(
    subjects((await repository.workOf(over)).filter(({ metadata }) => metadata.run === "r-over")),
  ).toEqual(["assigned", "left task"]);
});

it("finds exactly what was reverted between some commits and a tip", async () => {
  const { repository } = made;
  const commitOf = async (name: string) => (await repository.change(name))?.commitId ?? "";
  const reverting = (...commits: readonly string[]) =>
    ["Revert", "", ...commits.map((commit) => `This reverts commit ${commit}.`)].join("\n");
  const base = await change("base");
  const one = await change("one", { parents: [base] });
  const [baseId, oneId] = [await commitOf(base), await commitOf(one)];
  const both = await change(reverting(oneId, baseId.slice(0, 12)), { run: null, parents: [one] });
  const sibling = await change(reverting(oneId), { run: null, parents: [one] });
  const tip = await change("tip", { parents: [both] });
  const gone = await change("gone");
  await repository.abandon(gone);

  const by = await commitOf(both);
  const options = { limit: 10 };
  expect(await repository.revertsSince([baseId, gone], tip, options)).toEqual([
    { by, reverted: oneId },
    { by, reverted: baseId.slice(0, 12) },
  ]);
  expect(await repository.revertsSince([oneId], sibling, options)).toEqual([
    { by: await commitOf(sibling), reverted: oneId },
  ]);
  expect(await repository.revertsSince([await commitOf(tip)], tip, options)).toEqual([]);
  expect(await repository.revertsSince([gone], tip, options)).toEqual([]);
  expect(await repository.revertsSince([], tip, options)).toEqual([]);
});

it("knows what a run's change holds beyond another one without a process, and asks jj where others' changes count", async () => {
  const { repository } = made;
  const run = "r-since";
  const theirs = await change("theirs");
  const [one, two] = [await change("one", { run }), await change("two", { run })];
  const both = await change("both", { run, parents: [one, two] });
  const brought = await change("brought", { run, parents: [both, theirs] });
  const started = () => repository.processCount();
  await repository.change(one);
  const known = started();
  expect(await repository.change(first.changeId)).toEqual(first);
  expect(await repository.commitsNamed(first.commitId)).toEqual([first]);
  expect(started()).toBe(known);
  for (const [from, to, processes] of [
    [first.commitId, both, 0],
    [one, both, 0],
    [both, one, 0],
    [both, brought, 1],
    [first.commitId, brought, 1],
    [theirs, one, 1],
  ] as const) {
    const before = started();
    const since = await repository.changesSince(from, to);
    expect(started() - before, `${from}..${to}`).toBe(processes);
    expect(subjects(since)).toEqual(subjects(await repository.query(`${from}..${to}`)));
    const at = (commit: string) => since.findIndex(({ commitId }) => commitId === commit);
    for (const { commitId, parents } of since)
      for (const parent of parents) if (at(parent) >= 0) expect(at(parent)).toBeGreaterThan(at(commitId));
    expect(await repository.changesSince(from, to, { limit: 1 })).toEqual(since.slice(0, 1));
  }

  // What no change of a run stands on any more is asked about: here it is rewritten.
  const base = await change("base");
  const on = await change("on it", { run, parents: [base] });
  const before = await repository.change(base);
  await repository.change(on);
  await repository.abandon(on);
  await repository.describe(base, "other words");
  expect(before?.description).toBe("base\n");
  expect((await repository.change(base))?.description).toBe("other words\n");
});
