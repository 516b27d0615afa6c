import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { ComplianceStatus } from "#shared/domain/decision/compliance.ts";
import { guessing, naming, namingFiles, twoInConflict } from "../../../testing/naming-script.ts";
import { worker } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

/** A busy machine takes its time; what is waited for comes or the run says why not. */
const patience = 560_000;
let fixture: Fixture | null = null;

const finished = (run: RunView, name: string) => ["review", "done"].includes(worker(run, name)?.status ?? "");
/** Everything that a worker's standing was, as the run's views told it, without repetition. */
const complianceIn = (one: Fixture, name: string): readonly ComplianceStatus[] => {
  const seen = one.events.flatMap((event) =>
    event.kind === "run"
      ? event.run.decisions.flatMap((decision) => decision.compliance.filter((each) => each.worker === name))
      : [],
  );
  return seen.filter((each, place) => JSON.stringify(each) !== JSON.stringify(seen[place - 1]));
};
const refusals = (one: Fixture, name: string) =>
  one.events.flatMap((event) =>
    event.kind === "conversation" && event.worker === name
      ? event.rows.flatMap((row) =>
          row.kind === "tool-result" && row.error ? [`${row.tool} ${row.error}`] : [],
        )
      : [],
  );
const outputsOf = (one: Fixture, name: string, tool: string) =>
  one.events.flatMap((event) =>
    event.kind === "conversation" && event.worker === name
      ? event.rows.flatMap((row) => (row.kind === "tool-result" && row.tool === tool ? [row.output] : []))
      : [],
  );

test("a violation without a conflict is found, a reverted line is refused, and no partial decision is visible", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  fixture = await createFixture({ script: naming, files: namingFiles, workflow: "one-judge" });
  const one = fixture;
  one.answers = {
    ...agreeable,
    "align-request": async () => {
      await one.until((run) => finished(run, "agent-1"), patience);
      return { kind: "answer", text: "user_id" };
    },
    mutation: async () => {
      await one.until((run) => worker(run, "agent-3")?.state === "tools", patience);
      return { kind: "approve" };
    },
  };
  await one.start();
  const run = await one.until(over, patience);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });

  // agent-1 was finished, in a file of its own: the search suspects it, one question settles it, its work is reopened.
  const judged = complianceIn(one, "agent-1").filter(({ state }) => state !== "unchecked");
  expect(judged.map(({ state, shownBy }) => [state, shownBy])).toEqual([
    ["contradicts", "compliance"],
    ["complies", null],
  ]);
  expect(judged[0]).toMatchObject({
    reason: "The store still reads userId; rows have user_id now.",
    places: [{ path: "src/store.js", line: 1, text: expect.stringContaining("row.userId") }],
  });
  const marked = one.events.flatMap((event) =>
    event.kind === "run" && worker(event.run, "agent-1")?.conflict === "mutation" ? [event.run] : [],
  );
  expect(worker(marked[0] ?? null, "agent-1")?.status).toBe("in_progress");
  const asked = one.standIn.requests().filter(({ seen }) => seen.role === "compliance");
  expect(asked.map(({ seen }) => /agent-\d/u.exec(seen.prompt)?.[0])).toEqual(["agent-1"]);
  expect(run.budget.byWorker.compliance?.microDollars).toBeGreaterThan(0);
  const reopened = one.standIn
    .requests()
    .find(({ seen }) => seen.role === "agent-1" && seen.prompt.includes("## Contradiction of a decision"));
  expect(reopened?.seen.prompt).toContain("- src/store.js:1: `export const keep");

  // agent-2 is refused at the tool, and where a command went around the tool, when it says that it is done.
  expect(refusals(one, "agent-2")).toEqual(["edit_file overrides-decision", "write_file overrides-decision"]);
  const override = complianceIn(one, "agent-2").find(({ shownBy }) => shownBy === "override");
  expect(override?.places).toEqual([
    { path: "src/ids.js", line: null, text: 'export const idField = "user_id";' },
    { path: "src/ids.js", line: 1, text: 'export const idField = "userId";' },
  ]);
  expect(complianceIn(one, "agent-2").at(-1)?.state).toBe("complies");
  expect(worker(run, "agent-2")?.conflict).toBe("none");

  // agent-3 looked at both files all the time.
  const looks = outputsOf(one, "agent-3", "run_command").map((output) => ({
    before: output.includes('"userId"') || output.includes("user.userId"),
    after: output.includes('"user_id"') || output.includes("user.user_id"),
  }));
  expect(looks.some(({ before }) => before)).toBe(true);
  expect(looks.filter(({ before, after }) => before && after)).toEqual([]);
  const shown = one.events.flatMap((event) =>
    event.kind === "run" ? [worker(event.run, "agent-3")?.activity ?? ""] : [],
  );
  expect(shown.some((activity) => activity.startsWith("a decision is being applied"))).toBe(true);

  const landed = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("src/ids.js")).toBe('export const idField = "user_id";');
  expect(await landed("src/store.js")).toContain("row.user_id");
  expect(run.metrics.find((each) => each.worker === "agent-1")?.conflictsMet).toBe(1);
});

const configured = (gates: string) => ({
  ...namingFiles,
  ".hox/config.toml": `${namingFiles[".hox/config.toml"]}\n[gates]\n${gates}\n`,
});
const afterFirst = (one: Fixture) => async () => {
  await one.until((run) => finished(run, "agent-1"), patience);
  return { kind: "answer", text: "user_id" } as const;
};

test("an automatic decision asks when it contradicts too many; only the search judges if configured", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  fixture = await createFixture({
    script: guessing,
    files: configured('mutations = "auto"\ncompliance = "text"'),
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": afterFirst(one), mutation: () => null };
  await one.start();
  const card = await one.card("mutation");
  expect(card).toMatchObject({ conflicts: [{ worker: "agent-1", files: ["src/ids.js"] }] });
  await one.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
  const complies = (run: RunView) =>
    run.decisions.some(({ compliance }) =>
      compliance.some((each) => each.worker === "agent-1" && each.state === "complies"),
    );
  const run = await one.until((now) => complies(now) && finished(now, "agent-1"), patience);

  // Its own name for it stands in neither version of the contract; the line that it had in its place tells it.
  const judged = complianceIn(one, "agent-1").filter(({ state }) => state === "contradicts");
  expect(
    judged.map(({ shownBy, places }) => [shownBy, places.map(({ path, line }) => [path, line])]),
  ).toEqual([
    [
      "conflict",
      [
        ["src/ids.js", null],
        ["src/store.js", 1],
      ],
    ],
    ["compliance", [["src/store.js", 1]]],
  ]);
  const prompts = one.standIn
    .requests()
    .flatMap(({ seen }) => (seen.role === "agent-1" ? [seen.prompt] : []));
  expect(prompts.some((prompt) => /## Conflict with a decision[^#]*src\/store\.js:1/u.test(prompt))).toBe(
    true,
  );
  expect(worker(run, "agent-1")?.conflict).toBe("none");
  expect(one.standIn.requests().some(({ seen }) => seen.role === "compliance")).toBe(false);
  expect(one.standIn.unmatched()).toEqual([]);
});

test("within the limits a decision is applied automatically, reported with its undo, and can be undone", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  fixture = await createFixture({
    script: guessing,
    files: configured('mutations = "auto"\nauto_mutation_max_conflicts = 1\ncompliance = "off"'),
  });
  const one = fixture;
  const asked: string[] = [];
  one.answers = {
    ...agreeable,
    "align-request": afterFirst(one),
    mutation: ({ id }) => {
      asked.push(id);
      return null;
    },
  };
  await one.start();
  const run = await one.until((now) => worker(now, "agent-1")?.conflict === "mutation", patience);
  await one.execute("run.pause");
  expect(asked).toEqual([]);
  expect(one.events.filter((event) => event.kind === "notice")).toContainEqual({
    kind: "notice",
    level: "info",
    text: expect.stringMatching(/O-A-1 decided "The id is called user_id".*contradicts agent-1/u),
    remedy: expect.stringContaining("abandon its change"),
  });
  const decision = run.decisions[0]?.changeId ?? "";
  expect(await one.repo.terminal(["log", "--no-graph", "-r", decision, "-T", "description"])).toContain(
    "Hox-Kind: mutation",
  );

  await one.execute("change.abandon", { changeId: decision });
  const free = await one.until((now) => now.decisions.length === 0);
  expect(worker(free, "agent-1")).toMatchObject({ conflict: "none" });
  const task = worker(free, "agent-1")?.changeId ?? "";
  expect(await one.repo.terminal(["log", "--no-graph", "-r", task, "-T", "description"])).not.toMatch(
    /Hox-(?:Reply-To|Msg-Type)/u,
  );
  expect(await one.repo.terminal(["log", "--no-graph", "-r", "conflicts()", "-T", "change_id"])).toBe("");
  await one.execute("run.stop");
});

test("the author of a conflict without a decision is named, on the worker and in its prompt", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  fixture = await createFixture({ script: twoInConflict, files: namingFiles });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const card = await one.card("align-request");
  const run = await one.until((now) => finished(now, "agent-2"));
  const task = worker(run, "agent-1")?.changeId ?? "";
  const conflict = () => worker(one.engine.state().run, "agent-1")?.conflict;

  // A user moves it in a terminal onto something else that names the id.
  await one.repo.terminal(["new", run.base ?? "", "-m", "another idea"]);
  await one.repo.write("src/ids.js", 'export const idField = "uid";\n');
  await one.repo.terminal(["rebase", "-s", task, "-o", "@"]);
  const conflictedRun = await one.until((now) => worker(now, "agent-1")?.conflict === "merge");
  expect(worker(conflictedRun, "agent-1")?.conflictCause).toMatchObject({
    actor: "terminal",
    description: expect.stringMatching(/^rebase /u),
  });

  // Dragged back on the graph it is gone, and dragged there again it is the app's.
  const [other] = (await one.repo.terminal(["log", "--no-graph", "-r", "@", "-T", "change_id"])).split("\n");
  await one.execute("change.rebase", { changeId: task, onto: run.base ?? "" });
  await one.until((now) => worker(now, "agent-1")?.conflict === "none");
  expect(worker(one.engine.state().run, "agent-1")?.conflictCause).toBeNull();
  await one.execute("change.rebase", { changeId: task, onto: other ?? "" });
  const dragged = await one.until((now) => worker(now, "agent-1")?.conflict === "merge");
  expect(worker(dragged, "agent-1")?.conflictCause?.actor).toBe("hox");

  await one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "uid" } });
  await one.until((now) => finished(now, "agent-1"), patience);
  expect(conflict()).toBe("none");
  const prompts = (role: string) =>
    one.standIn.requests().flatMap(({ seen }) => (seen.role === role ? [seen.prompt] : []));
  expect(prompts("agent-1").join("\n")).toMatch(/operation of a user in the app: "rebase /u);

  // Where the tasks themselves meet, the one that finishes later is told whose merged work it is.
  const end = await one.until(over, patience);
  expect(end).toMatchObject({ stage: "complete", failure: null });
  const meetings = one.events.flatMap((event) =>
    event.kind === "run" ? (worker(event.run, "agent-1")?.conflictsWith ?? []) : [],
  );
  expect(meetings[0]).toEqual({ worker: "agent-2", files: ["src/same.txt"] });
  expect(worker(end, "agent-1")).toMatchObject({ conflict: "none", conflictsWith: [] });
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/same.txt"])).toBe("the api\nthe store");
});

test("a reopened conflict with a decision is one with that decision, and no merge conflict", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  fixture = await createFixture({
    script: guessing,
    files: configured('mutations = "auto"\nauto_mutation_max_conflicts = 1\ncompliance = "off"'),
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": afterFirst(one) };
  // Nobody goes on with what comes after: the phase stays open.
  one.standIn.hold(({ role, prompt }) => role === "agent-2" && prompt.includes("Call it user_id."));
  const release = one.standIn.hold(
    ({ role, prompt }) => role === "agent-1" && prompt.includes("Conflict with a decision"),
  );
  await one.start();
  const met = await one.until((now) => worker(now, "agent-1")?.conflict === "mutation", patience);
  const changeId = worker(met, "agent-1")?.changeId ?? "";
  const [conflicted] = await one.repo.repository.commitsNamed(changeId);
  expect(conflicted?.conflict).toBe(true);
  release();
  // Merged, so that Hox rewrites it no more: jj's converge drops an older version that is restored in that very moment.
  const isMerged = (now: RunView) => worker(now, "agent-1")?.mergeRequest?.state.stage === "merged";
  await one.until((now) => worker(now, "agent-1")?.conflict === "none" && isMerged(now), patience);

  one.standIn.hold(({ role }) => role === "agent-1");
  const path = "src/ids.js";
  await one.repo.terminal(["restore", "--from", conflicted?.commitId ?? "", "--into", changeId, path]);
  const back = await one.until((now) => worker(now, "agent-1")?.conflict !== "none", patience);
  expect(worker(back, "agent-1")).toMatchObject({ conflict: "mutation", conflictCause: null });
  expect(
    back.decisions.flatMap(({ compliance }) =>
      compliance.flatMap((each) => (each.worker === "agent-1" ? [[each.state, each.shownBy]] : [])),
    ),
  ).toEqual([["contradicts", "conflict"]]);
  await one.execute("run.stop");
});
