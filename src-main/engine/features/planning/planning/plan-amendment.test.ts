import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import { editPlanBy, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { openJournal } from "../../../../journal/journal.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, plan, threeAgents, write } from "../../../testing/three-agents-script.ts";

const task = (id: string, more: Partial<PlannedTask> = {}): PlannedTask => ({
  id,
  title: `Write the ${id}`,
  description: `Write src/${id}.txt.`,
  phase: 1,
  priority: "low",
  files: [`src/${id}.txt`],
  after: [],
  ...more,
});

/** Two phases: agent-2 asks a question in the first, which keeps the second from beginning until it is answered. */
const twoPhases: Plan = {
  ...plan,
  phases: [
    { number: 1, title: "Build" },
    { number: 2, title: "Polish" },
  ],
  tasks: [...plan.tasks, task("polish", { phase: 2 }), task("extra", { phase: 2 })],
};

const writes = (file: string) => [
  { name: "works", steps: [write(`src/${file}.txt`, `${file}\n`), done(`Wrote the ${file}.`)] },
];
const script = {
  ...threeAgents,
  routes: {
    ...threeAgents.routes,
    // Each in a file of its own: nothing here is about conflicts.
    "agent-1": writes("store"),
    "agent-3": writes("view"),
    "agent-4": writes("polish"),
    "agent-5": writes("extra"),
    "agent-6": writes("docs"),
    "agent-7": writes("more"),
  },
};

const begin = async (): Promise<Fixture> => {
  const one = await createFixture({ script });
  one.answers = {
    ...agreeable,
    plan: () => ({ kind: "approve", plan: twoPhases }),
    "align-request": () => null,
  };
  await one.start();
  await one.until((_, inbox) => inbox.some((item) => item.kind === "align-request"));
  return one;
};

const amend = (one: Fixture, ...edits: PlanEdit[]) =>
  one.execute("plan.amend", { orchestrator: "O-A-1", edits });
const onTask = (run: RunView | null, id: string) =>
  run?.workers.find((one) => one.title === `Write the ${id}`);
const changeOf = (one: Fixture, id: string): string =>
  onTask(one.engine.state().run, id)?.changeId ?? `no change for ${id}`;
const planned = (one: Fixture, id: string) =>
  one.engine.state().run?.plan?.tasks.find((each) => each.id === id);
/** Titles of what a task's change stands on, sorted. */
const standsOn = async (one: Fixture, id: string): Promise<readonly string[]> =>
  (
    await one.repo.terminal([
      "log",
      "--no-graph",
      "-r",
      `parents(${changeOf(one, id)})`,
      "-T",
      'description.first_line() ++ "\\n"',
    ])
  )
    .split("\n")
    .filter((line) => line !== "")
    .sort();
/** In a terminal. Who crosses a write of ours may find the change twice for a moment, and does it again. */
const rebase = (one: Fixture, task: string, onto: string) =>
  vi.waitFor(() => one.repo.terminal(["rebase", "-s", changeOf(one, task), "-d", changeOf(one, onto)]), {
    timeout: 60_000,
    interval: 500,
  });
const answerTheQuestion = async (one: Fixture): Promise<void> => {
  const card = await one.card("align-request");
  await one.execute("inbox.answer", {
    ...card,
    decision: { kind: "answer", text: "user_id, please" },
  });
};

test("a task that is added during the run gets an agent, and the orchestrator is told with its next event", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const one = await begin();
  await amend(one, { kind: "add", task: task("docs") });
  expect(onTask(one.engine.state().run, "docs")).toMatchObject({
    name: "agent-6",
    phase: 1,
    priority: "low",
  });
  expect(await standsOn(one, "polish")).toEqual([
    "Write the api",
    "Write the docs",
    "Write the store",
    "Write the view",
  ]);
  await one.until((run) => onTask(run, "docs")?.status === "done");
  // In a terminal, where nobody types Hox's own words again.
  await vi.waitFor(
    () =>
      one.repo.terminal([
        "describe",
        changeOf(one, "api"),
        "-m",
        "Speak the api\n\nWrite src/api.txt in French.",
      ]),
    { timeout: 60_000, interval: 500 },
  );
  await one.until((run) =>
    run.workers.some(({ name, title }) => name === "agent-2" && title === "Speak the api"),
  );
  expect(planned(one, "api")).toMatchObject({
    title: "Speak the api",
    description: "Write src/api.txt in French.",
  });
  await answerTheQuestion(one);
  const run = await one.until(over);
  expect(run.stage).toBe("complete");
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/docs.txt"])).toBe("docs");
  const prompts = one.standIn
    .requests()
    .filter(({ seen }) => seen.role === "O-A-1" && seen.prompt.includes('added task "docs"'));
  expect(prompts[0]?.seen.prompt).toMatch(
    /## The plan has changed\n\n- The user added task "docs" \(Write the docs\) to phase 1/u,
  );
  const events = new Set(prompts.map(({ seen }) => /^\[EVENT ([^\]]+)\]/u.exec(seen.prompt)?.[1]));
  expect(events.size, "it is told once").toBe(1);
  const read = one.standIn.requests().filter(({ seen }) => seen.role === "agent-2");
  expect(read.at(-1)?.seen.prompt, "who works reads the new words").toMatch(
    /^\[TASK\] Speak the api[\s\S]*in French/u,
  );
  expect(
    one.standIn
      .requests()
      .some(
        ({ seen }) =>
          seen.role === "O-A-1" && seen.prompt.includes('The user changed title, description of "api"'),
      ),
    "and so does its orchestrator",
  ).toBe(true);
  const [landed] = await one.repo.repository.query('description(substring:"Speak the api")');
  expect(landed?.metadata.agent, "its metadata was restored, and is in Git notes since it landed").toBe(
    "agent-2",
  );
});

test("tasks that have not started are linked, moved, described and removed, in jj too, and jj edits reach the run", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const one = await begin();
  await amend(one, { kind: "link", task: "extra", after: "polish" });
  expect(await standsOn(one, "extra")).toEqual(["Write the polish"]);

  // A user's own jj is the same amendment.
  await rebase(one, "extra", "api");
  await one.until(() => planned(one, "extra")?.after.join() === "api");
  await rebase(one, "extra", "polish");
  await one.until(() => planned(one, "extra")?.after.join() === "polish");

  await amend(
    one,
    { kind: "move", task: "polish", phase: 1 },
    { kind: "change", task: "polish", patch: { title: "Polish it", priority: "critical" } },
  );
  const description = await one.repo.terminal([
    "log",
    "--no-graph",
    "-r",
    changeOf(one, "extra").startsWith("no") ? "none()" : `parents(${changeOf(one, "extra")})`,
    "-T",
    "description",
  ]);
  expect(description).toMatch(/^Polish it\n/u);
  expect(description).toContain("Hox-Phase: 1");
  expect(description).toContain("Hox-Priority: critical");
  expect(description).toContain("Hox-Agent: agent-4");
  await one.until((run) =>
    run.workers.some(({ title, status }) => title === "Polish it" && status === "done"),
  );

  await amend(one, { kind: "remove", task: "extra" });
  expect(planned(one, "extra")).toBeUndefined();
  await one.until((run) => onTask(run, "extra")?.status === "abandoned");
  await answerTheQuestion(one);
  const run = await one.until(over);
  expect(run.stage).toBe("complete");
  expect(await one.repo.terminal(["file", "list", "-r", "main"])).toMatch(/src\/polish\.txt/u);
  expect(await one.repo.terminal(["file", "list", "-r", "main"])).not.toContain("src/extra.txt");
});

test("a late or invalid edit is refused by name, and changes nothing", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const one = await begin();
  await one.until((run) => onTask(run, "view")?.status === "done");
  const graph = async () => [await standsOn(one, "polish"), await standsOn(one, "extra")];
  const [before, plans] = [await graph(), JSON.stringify(one.engine.state().run?.plan)];
  const refused = async (words: RegExp, ...edits: PlanEdit[]) =>
    expect(amend(one, ...edits)).rejects.toMatchObject({
      message: expect.stringMatching(words),
      remedy: expect.stringMatching(/\w/u),
    });
  await refused(/“Write the api” is already in progress/u, { kind: "link", task: "api", after: "store" });
  await refused(/“Write the view” is done/u, { kind: "remove", task: "view" });
  await refused(
    /wait for each other: polish → extra → polish/u,
    { kind: "link", task: "polish", after: "extra" },
    { kind: "link", task: "extra", after: "polish" },
  );
  await refused(/later phase/u, { kind: "add", task: task("docs", { after: ["polish"] }) });
  await refused(/no task "nobody"/u, { kind: "remove", task: "nobody" });
  await refused(/already has a task "api"/u, { kind: "add", task: task("api") });
  await expect(one.execute("plan.amend", { orchestrator: "O-Z-9", edits: [] })).rejects.toThrow(/O-Z-9/u);
  expect(await graph()).toEqual(before);
  expect(one.engine.state().run?.workers.filter(({ role }) => role === "agent")).toHaveLength(5);
  expect(JSON.stringify(one.engine.state().run?.plan)).toBe(plans);

  // A priority that a user gives on the graph is the plan's from then on, and no later amendment takes it back.
  await one.execute("change.setMetadata", {
    changeIds: [changeOf(one, "polish")],
    patch: { priority: "critical" },
  });
  await one.until(() => planned(one, "polish")?.priority === "critical");
  await amend(one, { kind: "change", task: "extra", patch: { title: "Write the extra one" } });
  expect(planned(one, "polish")?.priority).toBe("critical");
  expect(onTask(one.engine.state().run, "polish")?.priority).toBe("critical");
});

test("a task in progress is removed with its agent, and its dependents continue without it", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const one = await begin();
  await amend(one, { kind: "remove", task: "api" });
  const run = await one.until(over);
  expect(run.stage).toBe("complete");
  expect(onTask(run, "api")?.status).toBe("abandoned");
  expect(one.engine.state().inbox).toEqual([]);
  expect(run.plan?.tasks.map(({ id }) => id)).not.toContain("api");
});

test("an interrupted amendment is completed at the next start, once", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const one = await begin();
  const { run } = one.engine.state();
  const before = run?.plan;
  const edits: readonly PlanEdit[] = [{ kind: "add", task: task("docs") }];
  const amended = before && editPlanBy(before, edits);
  if (!before || amended?.kind !== "edited") throw new Error("There is no plan to amend.");
  /** As the journal stands when the process ends: before anything was written, or before it was in force. */
  const crash = () =>
    one.reopen(async () => {
      const journal = openJournal(join(one.repo.folder, "state", "journal.sqlite"), Date.now);
      const amendment = { before, after: amended.plan, edits };
      const begun: RunEvent = { kind: "AmendmentStarted", orchestrator: "O-A-1", amendment };
      journal.addEvent(run.id, begun);
      journal.close();
    });
  const made = async () =>
    (
      await one.repo.terminal([
        "log",
        "--no-graph",
        "-r",
        'description("Write the docs*")',
        "-T",
        'change_id ++ "\\n"',
      ])
    )
      .trim()
      .split("\n");
  await crash();
  await one.until((now) => onTask(now, "docs")?.status === "done");
  const first = await made();
  expect(first).toEqual([changeOf(one, "docs")]);
  expect(planned(one, "docs")?.title).toBe("Write the docs");
  await crash();
  await one.until((now) => onTask(now, "docs")?.status === "done");
  expect(await made()).toEqual(first);
  expect(one.engine.state().run?.workers.filter(({ task: its }) => its === "docs")).toHaveLength(1);
});
