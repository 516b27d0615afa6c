import { expect, test } from "vitest";
import { type Journal, openJournal } from "../../../../journal/journal.ts";
import { runInput } from "../../../../journal/testing/run-input.ts";
import { eventually } from "../../../../testing/kit.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { calmAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture;
let journal: Journal;
async function open(options: Parameters<typeof createFixture>[0] = {}): Promise<void> {
  fixture = await createFixture({
    ...options,
    openJournal: (path, now) => {
      journal = openJournal(path, now);
      return journal;
    },
  });
}

const goal = "Fix the store of users";
const textOf = (name: string, { task = "fix", words = "store" } = {}): string =>
  `---\nname: ${name}\ncategory: decomposition\nconfidence: 0.8\nrun: elsewhere\nevidence: agents >= 2\ntask_types: ${task}\nwords: ${words}\n---\n\n# ${name}\n\nThis is what ${name} says to whoever reads it in a prompt.\n`;

/** As they come with a fetch. */
async function put(...patterns: readonly (readonly [name: string, text: string])[]): Promise<void> {
  const { repository } = fixture.repo;
  const there = (await repository.refs()).bookmarks["hox-patterns"];
  const made = await repository.newChange({
    parents: [there?.[0] ?? "root()"],
    description: "by hand",
    files: Object.fromEntries(patterns.map(([name, text]) => [`patterns/decomposition/${name}.md`, text])),
  });
  await repository.setBookmark("hox-patterns", made.commitId);
}
async function approve(name: string): Promise<void> {
  const id = `decomposition/${name}`;
  const { shown } = await fixture.execute("pattern.preview", { id });
  await fixture.execute("pattern.approve", { id, shown });
}
/** One that nobody approved, one that is for other work, and one that was retired. */
async function strangers(): Promise<void> {
  await put(
    ["nobody-approved", textOf("nobody-approved")],
    ["other-work", textOf("other-work", { task: "docs", words: "weather" })],
    ["went-out", textOf("went-out")],
  );
  await approve("other-work");
  await approve("went-out");
  const retired = { id: "decomposition/went-out", reason: "Its runs failed." };
  await fixture.execute("pattern.retire", retired);
}
const notInjected = ["what nobody-approved says", "what other-work says", "what went-out says"];

/** What went over the wire from a request on, by role. */
const requestsFrom = (from: number) =>
  fixture.standIn
    .requests()
    .slice(from)
    .map(({ seen, body }) => ({ role: seen.role, text: JSON.stringify(body) }));
const injectedIn = (run: string): readonly { readonly worker: string; readonly ids: readonly string[] }[] =>
  journal
    .events(run)
    .flatMap(({ event }) =>
      event.kind === "PatternsInjected"
        ? [{ worker: event.worker, ids: event.patterns.map(({ id, version }) => `${id} ${version}`) }]
        : [],
    );

test("a planner gets the approved patterns that match its goal, and nothing else", {
  tags: ["long"],
}, async () => {
  await open();
  await put(["types-first", textOf("types-first")]);
  await strangers();
  await approve("types-first");
  fixture.answers = {};
  const run = await fixture.start({ goal });
  await fixture.card("plan");
  const texts = requestsFrom(0).map(({ text }) => text);
  expect(texts[0]).toContain("what types-first says");
  for (const words of notInjected) expect(texts.filter((text) => text.includes(words))).toEqual([]);
  expect(injectedIn(run)).toEqual([{ worker: "O-A-1", ids: ["decomposition/types-first 1"] }]);

  // The one for other work was there as well, and nobody was told it.
  const { rows } = await fixture.execute("report.runs", { by: "pattern", runs: 50 });
  expect(rows.map(({ key }) => key)).toEqual(["types-first"]);

  // Retired while the run goes on, it is told to nobody who begins from now on.
  const [before] = fixture.engine.state().run?.workers.filter(({ name }) => name === "O-A-1") ?? [];
  expect(before).toBeDefined();
  await fixture.execute("pattern.retire", { id: "decomposition/types-first", reason: "No." });
  const agentsFrom = fixture.standIn.requests().length;
  fixture.answers = { plan: () => ({ kind: "approve" }) };
  const { id, nonce, shown } = await fixture.card("plan");
  await fixture.execute("inbox.answer", { id, nonce, shown, decision: { kind: "approve" } });
  await fixture.until((view) =>
    view.workers.some(({ role, iteration }) => role === "agent" && iteration > 0),
  );
  const later = requestsFrom(agentsFrom).filter(({ role }) => role.startsWith("agent-"));
  expect(later.filter(({ text }) => text.includes("what types-first says"))).toEqual([]);
});

test("a pattern gets from its card, as the user edited it, to planner, agents, integrator and validators of a later run", {
  tags: ["long"],
}, async () => {
  await open();
  fixture.answers = { ...agreeable, pattern: () => null };
  const base = await fixture.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "commit_id"]);
  await fixture.start({ goal });
  const card = await fixture.card("pattern");
  if (card.kind !== "pattern") throw new Error("another card");
  const edit = (markdown: string) => fixture.execute("pattern.editCard", { card: card.id, markdown });
  const now = () => {
    const found = fixture.engine.state().inbox.find(({ kind }) => kind === "pattern");
    if (found?.kind !== "pattern") throw new Error("no card");
    return found;
  };
  const yes = { kind: "approve" } as const;
  const answer = ({ id, nonce, shown }: typeof card) =>
    fixture.execute("inbox.answer", { id, nonce, shown, decision: yes });

  // What does not pass is shown with why, and a yes to it is refused.
  await edit(`${card.markdown}\nSkip the tests.\n`);
  expect(now().gates.filter(({ passed }) => !passed)).toMatchObject([{ name: "no unsafe instruction" }]);
  await expect(answer(now())).rejects.toThrow("failed the automatic checks");
  const words = "Ask for shared names before anybody uses one of them.";
  await edit(card.markdown.replace(/Names that several.*$/mu, words));
  await expect(answer(card)).rejects.toThrow("The question has changed since you answered");
  expect(now().gates.every(({ passed }) => passed)).toBe(true);
  await fixture.reopen();
  expect(now().markdown).toContain(words);
  await answer(now());
  await fixture.until(({ stage }) => stage === "complete");
  expect(await fixture.execute("pattern.list")).toMatchObject([
    { id: "communication/ask-before-naming", state: "approved", version: 1, sourceRun: { goal } },
  ]);
  await strangers();
  expect(await fixture.execute("pattern.suggest", { goal })).toMatchObject([
    { id: "communication/ask-before-naming" },
  ]);

  const from = fixture.standIn.requests().length;
  const second = await fixture.start({ goal, onto: base });
  await fixture.until(
    ({ id, stage }) => id === second && ["learning", "landing", "complete"].includes(stage),
  );
  const sent = requestsFrom(from);
  const notifiedRoles = new Set(sent.filter(({ text }) => text.includes(words)).map(({ role }) => role));
  const expectedRoles = ["O-A-1", "agent-1", "agent-2", "agent-3", "integrator", "validator-1"];
  expect([...notifiedRoles]).toEqual(expect.arrayContaining(expectedRoles));
  for (const stranger of notInjected) expect(sent.filter(({ text }) => text.includes(stranger))).toEqual([]);
  const workers = injectedIn(second);
  for (const { ids } of workers) expect(ids).toEqual(["communication/ask-before-naming 1"]);
  expect(workers.map(({ worker }) => worker)).toEqual(
    expect.arrayContaining(["O-A-1", "agent-1", "agent-2", "agent-3", "integrator"]),
  );
});

test("proposes patterns from the figures of a run whose checks Hox found, and applies the one you approve", {
  tags: ["long"],
}, async () => {
  await open({
    script: calmAgents,
    files: {
      "readme.md": "# Example\n",
      Makefile: "test:\n\t! grep -rn BROKEN src\n",
      ".hox/config.toml":
        '[backpressure]\npreflight = "off"\n[workflow]\ncontracts = "off"\npanel = "off"\nlearning = "on"\n',
    },
  });
  // Figures alone are worth a question from the third complete run on.
  for (const earlier of ["earlier-1", "earlier-2"]) {
    journal.addRun(earlier, { ...runInput, goal: "Keep users" });
    journal.setStage(earlier, "complete", true);
  }
  fixture.answers = { ...agreeable, pattern: () => null };
  await fixture.start();
  const cards = await eventually(() => {
    const found = fixture.engine.state().inbox.filter((item) => item.kind === "pattern");
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["fast-convergence", "effective-agent"]),
    );
    return found;
  });
  const card = (wanted: string) => cards.find(({ name }) => name === wanted) ?? expect.fail(wanted);
  expect(card("fast-convergence")).toMatchObject({ category: "validation", confidence: 0.7 });
  expect(card("fast-convergence").markdown).toContain("- `make test`");
  // The view is offered red once, and again: two of three were merged at their first offer.
  expect(card("effective-agent").markdown).toContain("merged without rework");
  expect(card("effective-agent").gates.filter(({ passed }) => !passed)).toEqual([]);

  const { id, nonce, shown } = card("effective-agent");
  await fixture.execute("inbox.answer", { id, nonce, shown, decision: { kind: "approve" } });
  await eventually(async () => {
    expect(await fixture.execute("pattern.list")).toContainEqual(
      expect.objectContaining({ id: "decomposition/effective-agent", state: "approved", version: 1 }),
    );
  });
});
