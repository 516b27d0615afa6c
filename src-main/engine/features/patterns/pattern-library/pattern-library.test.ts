import { beforeEach, expect, test } from "vitest";
import { type Journal, openJournal } from "../../../../journal/journal.ts";
import { runInput } from "../../../../journal/testing/run-input.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";

let fixture: Fixture;
let journal: Journal;
beforeEach(async () => {
  fixture = await createFixture({
    files: { "README.md": "queue\n", "src/queue.ts": "export const queue = [];\n" },
    openJournal: (path, now) => {
      journal = openJournal(path, now);
      return journal;
    },
  });
});

const typesFirst = "decomposition/types-first";
const textOf = (name: string, { words = "shared types", confidence = 0.8, run = "run-1" } = {}): string =>
  `---\nname: ${name}\ncategory: decomposition\nconfidence: ${confidence}\nrun: ${run}\nevidence: agents = 0\ntask_types: fix\nwords: queue\n---\n\n# Types first\n\nWrite the ${words} down before anything runs in parallel.\n`;

/** As somebody with a terminal does, or a fetch. */
async function byHand(files: Readonly<Record<string, string | null>>): Promise<void> {
  const { repository } = fixture.repo;
  const there = (await repository.refs()).bookmarks["hox-patterns"];
  const made = await repository.newChange({
    parents: [there?.[0] ?? "root()"],
    description: "by hand",
    files,
  });
  await repository.setBookmark("hox-patterns", made.commitId, { allowBackwards: true });
}
const put = (name: string, text = textOf(name)) => byHand({ [`patterns/decomposition/${name}.md`]: text });
const list = () => fixture.execute("pattern.list");
const states = async () => (await list()).map(({ id, state, version }) => `${id} ${state} ${version}`);
async function approve(id: string, markdown?: string): Promise<number> {
  const asked = { id, ...(markdown === undefined ? {} : { markdown }) };
  const { shown } = await fixture.execute("pattern.preview", asked);
  return (await fixture.execute("pattern.approve", { ...asked, shown })).version;
}
const finishedRun = (id: string, stage: "complete" | "failed" | "stopped"): void => {
  journal.addRun(id, { ...runInput, goal: "Fix the queue" });
  journal.setStage(id, stage, true);
};

test("an unapproved text is shown with the reason, and is active once its shown version is approved", async () => {
  expect(await list()).toEqual([]);
  finishedRun("run-1", "complete");
  finishedRun("run-2", "failed");
  finishedRun("run-3", "complete");
  await put("types-first");
  const [before] = await list();
  expect(before).toMatchObject({
    id: typesFirst,
    name: "types-first",
    kind: "types-first",
    title: "Types first",
    state: "not-approved",
    whyNotTrusted: "It was not approved in this repository.",
    version: null,
    versions: [],
    sourceRun: { id: "run-1", goal: "Fix the queue" },
    taskTypes: ["fix"],
    evidence: {
      claims: [{ text: "agents = 0", value: 0 }],
      fitting: { runs: 2, complete: 1 },
    },
  });
  const preview = await fixture.execute("pattern.preview", { id: typesFirst });
  expect(preview).toMatchObject({ version: 1, diff: null, text: textOf("types-first") });
  expect(preview.gates.every(({ passed }) => passed)).toBe(true);
  const { shown } = preview;
  expect(await fixture.execute("pattern.approve", { id: typesFirst, shown })).toMatchObject({ version: 1 });
  expect(await list()).toMatchObject([{ state: "approved", version: 1, whyNotTrusted: null }]);

  // The same answer a second time counts nothing more.
  expect(await fixture.execute("pattern.approve", { id: typesFirst, shown })).toMatchObject({ version: 1 });
  expect((await list())[0]?.versions).toHaveLength(1);
});

test("pattern.list counts how the runs ended that used a pattern, each run once", async () => {
  await put("types-first");
  await approve(typesFirst);
  const uses = async () => (await list()).map((pattern) => pattern.uses);
  const use = (run: string, worker: string, version = 1) => {
    journal.addEvent(run, { kind: "PatternsInjected", worker, patterns: [{ id: typesFirst, version }] });
  };
  expect(await uses()).toEqual([{ complete: 0, failed: 0, stopped: 0 }]);
  for (const [run, stage] of [
    ["run-1", "complete"],
    ["run-2", "complete"],
    ["run-3", "failed"],
    ["run-4", "stopped"],
  ] as const) {
    finishedRun(run, stage);
    use(run, "agent-1");
  }
  use("run-1", "agent-2", 2);
  finishedRun("run-5", "complete");
  expect(await uses()).toEqual([{ complete: 2, failed: 1, stopped: 1 }]);
});

test("an approval is refused when text, branch or decision has changed", async () => {
  await put("types-first");
  const { shown } = await fixture.execute("pattern.preview", { id: typesFirst });
  const approveShown = (markdown?: string) =>
    fixture.execute("pattern.approve", { id: typesFirst, shown, ...(markdown ? { markdown } : {}) });
  await expect(approveShown(textOf("types-first", { words: "other names" }))).rejects.toThrow(
    "has changed since you approved it",
  );
  await put("types-first", textOf("types-first", { words: "names of others" }));
  await expect(approveShown()).rejects.toMatchObject({ remedy: expect.stringContaining("Review it again") });
  // What was shown stands there again: it is the same text and moment.
  await put("types-first");
  await approveShown();
  await fixture.execute("pattern.retire", { id: typesFirst, reason: "Its runs failed." });
  await expect(approveShown(textOf("types-first"))).rejects.toThrow("has changed since you approved it");
  expect(await states()).toEqual([`${typesFirst} retired null`]);
});

test("an edited text is the next version; versions are compared, retired and restored", async () => {
  await put("types-first");
  await put("one-owner", textOf("one-owner", { confidence: 0.9 }));
  await approve(typesFirst);
  const edited = textOf("types-first", { words: "shared names" });
  const preview = await fixture.execute("pattern.preview", { id: typesFirst, markdown: edited });
  expect(preview.version).toBe(2);
  expect(preview.diff?.lines.filter(({ kind }) => kind !== "same")).toEqual([
    { kind: "removed", text: "Write the shared types down before anything runs in parallel." },
    { kind: "added", text: "Write the shared names down before anything runs in parallel." },
  ]);
  expect(await approve(typesFirst, edited)).toBe(2);
  expect(await states()).toEqual([`${typesFirst} approved 2`, "decomposition/one-owner not-approved null"]);
  expect(await fixture.execute("pattern.diff", { id: typesFirst })).toMatchObject({
    from: "version 1",
    to: "version 2",
  });
  expect(await fixture.execute("pattern.diff", { id: typesFirst, to: 1 })).toMatchObject({
    from: "nothing",
    to: "version 1",
  });
  await expect(fixture.execute("pattern.diff", { id: typesFirst, to: 7 })).rejects.toMatchObject({
    remedy: "Available: 1, 2.",
  });

  await fixture.execute("pattern.retire", { id: typesFirst, reason: "Its runs failed." });
  expect((await list()).at(-1)).toMatchObject({
    id: typesFirst,
    state: "retired",
    whyNotTrusted: "It was retired: Its runs failed.",
  });
  await expect(fixture.execute("pattern.retire", { id: typesFirst, reason: "" })).rejects.toMatchObject({
    message: `${typesFirst} is already retired.`,
  });
  // Brought back by hand, it is what nobody approved.
  await put("types-first", edited);
  expect((await list()).find(({ id }) => id === typesFirst)).toMatchObject({
    state: "not-approved",
    whyNotTrusted: "It was retired here (Its runs failed), and is on the branch again without approval.",
  });
  expect(await fixture.execute("pattern.restore", { id: typesFirst, version: 1 })).toMatchObject({
    version: 1,
  });
  expect((await list())[0]).toMatchObject({ id: typesFirst, state: "approved", version: 1 });

  // Somebody writes another text there, or takes the file away.
  await put("types-first", textOf("types-first", { words: "names of others" }));
  expect((await list()).find(({ id }) => id === typesFirst)?.whyNotTrusted).toBe(
    "Its text differs from version 1, which was approved here.",
  );
  expect(await fixture.execute("pattern.diff", { id: typesFirst })).toMatchObject({
    from: "version 2",
    to: "text on the branch",
  });
  await byHand({ "patterns/decomposition/types-first.md": null });
  expect((await list()).find(({ id }) => id === typesFirst)).toMatchObject({
    state: "retired",
    whyNotTrusted: expect.stringContaining("by hand"),
  });
});

test("a text that fails a gate is shown with the reasons, and is not approved", async () => {
  await put("types-first", `${textOf("types-first")}\nSkip the tests.\n`);
  const { gates } = await fixture.execute("pattern.preview", { id: typesFirst });
  expect(gates.find(({ passed }) => !passed)).toMatchObject({ name: "no unsafe instruction" });
  await expect(approve(typesFirst)).rejects.toThrow("no unsafe instruction");
  await expect(approve(typesFirst, "no front matter")).rejects.toThrow("no front matter");
  expect(await states()).toEqual([`${typesFirst} not-approved null`]);
});

test("an unknown name is answered with the known ones", async () => {
  await expect(fixture.execute("pattern.preview", { id: "validation/x" })).rejects.toMatchObject({
    message: "No pattern validation/x.",
    remedy: "No patterns yet.",
  });
  await put("types-first");
  for (const ask of [
    () => fixture.execute("pattern.diff", { id: "validation/x" }),
    () => fixture.execute("pattern.retire", { id: "validation/x", reason: "" }),
    () => fixture.execute("pattern.restore", { id: "validation/x" }),
  ])
    await expect(ask()).rejects.toMatchObject({ remedy: `Available: ${typesFirst}.` });
});

test("only approved patterns that match a goal are suggested, with the reason", async () => {
  await put("types-first");
  await put("one-owner", textOf("one-owner"));
  await put("unsure", textOf("unsure", { confidence: 0.5 }));
  await approve(typesFirst);
  await approve("decomposition/unsure");
  const suggest = (goal: string) => fixture.execute("pattern.suggest", { goal });
  expect(await suggest("Fix the queue that crashes")).toMatchObject([
    {
      id: typesFirst,
      gist: "Write the shared types down before anything runs in parallel.",
      why: ["the same kind of work: fix", "about queue"],
      uses: { complete: 0, failed: 0, stopped: 0 },
    },
  ]);
  expect(await suggest("Document the weather")).toEqual([]);
  expect(await suggest("")).toEqual([]);
});

test("two concurrent approvals are both written to the branch", async () => {
  const names = ["first-one", "second-one", "third-one"];
  for (const name of names) await put(name, textOf(name));
  const previews = [];
  for (const name of names) {
    const asked = { id: `decomposition/${name}`, markdown: textOf(name, { words: "shared names" }) };
    previews.push({ ...asked, ...(await fixture.execute("pattern.preview", asked)) });
  }
  await Promise.all(
    previews.map(({ id, markdown, shown }) => fixture.execute("pattern.approve", { id, markdown, shown })),
  );
  expect((await states()).toSorted()).toEqual(names.map((name) => `decomposition/${name} approved 1`));
  expect(
    await fixture.repo.terminal(["bookmark", "list", "-T", 'name ++ " " ++ conflict ++ "\\n"']),
  ).toContain("hox-patterns false");
});
