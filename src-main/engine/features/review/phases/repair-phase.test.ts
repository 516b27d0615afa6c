import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene } from "../../../../model/stand-in/script.ts";
import { call } from "../../../testing/merge-request-script.ts";
import { phaseFiles, phaseScript } from "../../../testing/phase-script.ts";
import { requestsOf, worker } from "../../../testing/read-run.ts";
import { createFixture, type Fixture, isJoined } from "../../../testing/run-fixture.ts";
import { acceptsMergeRequests, done, plan, rewrite, write } from "../../../testing/three-agents-script.ts";
import { seat } from "../../../testing/verdict-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const configFile = ".hox/config.toml";
const configured = (
  files: Readonly<Record<string, string>>,
  change: (config: string) => string,
): Readonly<Record<string, string>> => ({ ...files, [configFile]: change(files[configFile] ?? "") });

test("with squashed work a phase that the user breaks is repaired with their instructions, and asked about again", {
  tags: "long",
}, async () => {
  const repaired: Scene = {
    name: "repairs with a word",
    prompt: "The user says: Keep the address.",
    steps: [...rewrite("src/api.txt", "the api and its address\n"), done("The address is kept.")],
  };
  const files = configured(
    { ...phaseFiles("repair_rounds = 0"), "check.sh": "! grep -rn BROKEN src\n" },
    (config) =>
      `${config.replace('strategy = "merge"', 'strategy = "squash"')}\n[loop_defaults]\nauto_advance = false\n`,
  );
  fixture = await createFixture({ workflow: "auto", files, script: phaseScript(repaired) });
  const one = fixture;
  await one.start();
  const paused = await one.until((run) => run.phase === 1 && run.paused === "paused");
  const last = ["agent-1", "agent-2"].find((name) => !worker(paused, name)?.title.includes("store")) ?? "";
  const { terminal, folder } = one.repo;
  const workspace = join(folder, "beside");
  const api = worker(paused, last)?.changeId ?? "";
  await terminal(["workspace", "add", workspace, "-r", api]);
  await writeFile(join(workspace, "src", "api.txt"), "BROKEN\n");
  await terminal(["-R", workspace, "squash", "--into", api, "-m", "By hand"]);
  await one.execute("run.resume");
  const card = await one.card("votes");
  await one.execute("inbox.answer", {
    ...card,
    decision: { kind: "repair", words: "Keep the address." },
  });
  await one.until((run) => run.phase === 1 && run.paused === "paused");
  await one.execute("run.resume");
  const run = await one.until(({ phase }) => phase === 2);
  expect(run.workers.filter(({ name, status }) => name !== "agent-3" && status === "done")).toHaveLength(2);
  const third = await one.until((now) => (worker(now, "agent-3")?.iteration ?? 0) > 0);
  const below = worker(third, "agent-3")?.changeId ?? "";
  expect(await terminal(["file", "show", "-r", `${below}-`, "src/api.txt"])).toBe("the api and its address");
});

test("conflicting work of a phase is resolved by the last merged agent before others build on it", {
  tags: "long",
}, async () => {
  const both = (id: string): readonly Scene[] => [
    {
      name: "settles it",
      prompt: "the merged work has conflicts in src/together.txt",
      steps: [...rewrite("src/together.txt", "by both\n"), done("Both are kept.")],
    },
    {
      name: "writes what the other writes, too",
      steps: [
        write(`src/${id}.txt`, `the ${id}\n`),
        write("src/together.txt", `by the ${id}\n`),
        done(`The ${id} is written.`),
      ],
    },
  ];
  const script = phaseScript();
  fixture = await createFixture({
    workflow: "auto",
    files: phaseFiles(),
    script: {
      ...script,
      routes: {
        ...script.routes,
        "agent-1": both("store"),
        "agent-2": both("api"),
        "agent-3": [{ name: "works", steps: [write("src/view.txt", "the view\n"), done("It is shown.")] }],
      },
    },
  });
  await fixture.start();
  const run = await fixture.until(isJoined);
  const settled = ["agent-1", "agent-2"].flatMap((name) =>
    requestsOf(fixture as Fixture, name).filter(({ seen }) =>
      seen.prompt.includes("the merged work has conflicts"),
    ),
  );
  expect(settled.length).toBeGreaterThan(0);
  expect(await fixture.repo.terminal(["file", "show", "-r", run.integration ?? "", "src/together.txt"])).toBe(
    "by both",
  );
  expect(requestsOf(fixture, "agent-3")[0]?.seen.prompt).not.toMatch(/conflict/iu);
});

/** A part of two phases beside a task, and one task that builds on both. */
const task = (id: string, phase: number, more: Partial<Plan["tasks"][number]> = {}) => ({
  ...{ id, title: `Write the ${id}`, description: `Write src/${id}.txt.`, phase },
  ...{ priority: "medium" as const, files: [`src/${id}.txt`], after: [] },
  ...more,
});
const phases = [
  { number: 1, title: "Build" },
  { number: 2, title: "Show" },
];
const rootPlan: Plan = {
  ...plan,
  orchestrators: { count: 2, reason: "One part." },
  contracts: { ...plan.contracts, files: [] },
  phases,
  tasks: [
    task("server", 1, {
      title: "Build the server",
      files: ["src/store.txt", "src/api.txt", "src/view.txt"],
      delegate: true,
    }),
    task("page", 1),
    task("show", 2),
  ],
};
const partPlan: Plan = {
  ...plan,
  contracts: { ...plan.contracts, files: [] },
  phases,
  tasks: [task("store", 1), task("api", 1), task("view", 2)],
};

const works = (id: string): Scene => ({
  name: `writes the ${id}`,
  prompt: `[TASK] Write the ${id}`,
  steps: [write(`src/${id}.txt`, `the ${id}\n`), done(`The ${id} is written.`)],
});

const planner = (name: string, proposed: Plan): readonly Scene[] => [
  acceptsMergeRequests,
  { name, prompt: /^\[EVENT plan\]/u, steps: [call("propose_plan", { ...proposed })] },
];

test("a phase of a part is repaired by its agents, and a part's last phase by its integrator", {
  tags: "long",
}, async () => {
  const files = {
    ...phaseFiles("repair_rounds = 1"),
    "check.sh": [
      "has() { test -e src/$1.txt; }",
      "if has store && has api; then has together || exit 1; fi",
      "if has store && has page; then has all || exit 1; fi",
    ].join("\n"),
  };
  const repairs = (file: string, prompt: string): Scene => ({
    name: `writes ${file}`,
    prompt,
    steps: [write(`src/${file}.txt`, "both\n"), done(`What is ${file} is written.`)],
  });
  fixture = await createFixture({
    workflow: "auto",
    files,
    script: defineScript({
      name: "phases of parts",
      routes: {
        "O-A-1": planner("plans all", rootPlan),
        "O-B-1": [
          ...planner("plans the part", partPlan),
          { name: "is told", prompt: /^\[EVENT message\]/u, steps: [done("I mind it.")] },
        ],
        "agent-*": [
          repairs("together", "Phase 1 failed"),
          ...["store", "api", "view", "page", "show"].map(works),
        ],
        "integrator-b-1": [
          repairs("all", "Phase 1 failed"),
          { name: "adds nothing", steps: [done("All of the part is together.")], optional: true },
        ],
        integrator: [{ name: "adds nothing", steps: [done("All is together.")], optional: true }],
        "validator-1": seat(() => "approve"),
      },
    }),
  });
  await fixture.start();
  const run = await fixture.until(({ phase }) => phase === 2);
  expect(run.workers.find(({ name }) => name === "O-B-1")).toMatchObject({ status: "done" });
  const promptsTo = (name: string) =>
    requestsOf(fixture as Fixture, name).filter(({ seen }) => seen.prompt.includes("Phase 1 failed"));
  expect(promptsTo("integrator-b-1").length).toBeGreaterThan(0);
  const part = run.workers.filter(({ parent, role }) => parent === "O-B-1" && role === "agent");
  expect(part.filter(({ name }) => promptsTo(name).length > 0)).toHaveLength(1);
  const shown = await fixture.until((now) =>
    now.workers.some(({ title, iteration }) => title === "Write the show" && iteration > 0),
  );
  const show = shown.workers.find(({ title }) => title === "Write the show")?.changeId ?? "";
  for (const file of ["together", "all"])
    expect(await fixture.repo.terminal(["file", "show", "-r", show, `src/${file}.txt`])).toBe("both");
});
