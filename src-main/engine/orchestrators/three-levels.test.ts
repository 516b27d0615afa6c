import { expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type ScriptedStep } from "../../model/stand-in/script.ts";
import { call } from "../testing/merge-request-script.ts";
import { requestsOf } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, vote, write } from "../testing/three-agents-script.ts";
import { rootPlan, twoLevelFiles } from "../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

const scene = (name: string, prompt: string | RegExp, ...steps: readonly ScriptedStep[]): Scene => ({
  name,
  prompt,
  steps,
});

/** One task, in a folder inside its parent's; all but the lowest is delegated. */
const planOf = (title: string, folder: string, contract: string, delegate: boolean): Plan => ({
  ...rootPlan,
  orchestrators: { count: delegate ? 2 : 1, reason: "One thing in another." },
  contracts: { title: "What all share", description: "", files: [contract] },
  tasks: [
    {
      id: "inner",
      title,
      description: `Everything in ${folder}`,
      phase: 1,
      priority: "medium",
      files: [folder],
      after: [],
      delegate,
    },
  ],
});

const plans = (plan: Plan, contract: string, text: string): readonly Scene[] => [
  scene("plan", /^\[EVENT plan\]/u, call("propose_plan", { ...plan })),
  scene("contracts", /^\[EVENT contracts\]/u, write(contract, text), done("It stands.")),
];
/** What cannot be decided here goes up, and what comes down goes on. */
const passes = (child: string): readonly Scene[] => [
  scene(
    "asks above",
    /^\[EVENT align-request\]/u,
    call("escalate", { question: "Which name?", options: [] }),
  ),
  scene(
    "passes it on",
    /^\[EVENT escalation answered\]/u,
    call("answer_agent", { agent: child, answer: "user_id." }),
  ),
];

const names = "src/a/b/names.js";
const script = defineScript({
  name: "three-levels",
  routes: {
    "O-A-1": [
      ...plans(planOf("Build the outer", "src/a/", "src/contract.txt", true), "src/contract.txt", "root\n"),
      scene(
        "settles it",
        /^\[EVENT align-request\]/u,
        call("answer_agent", { agent: "O-B-1", answer: "user_id." }),
      ),
      scene("learn", /^\[EVENT learn\]/u, done("Nothing new.")),
    ],
    "O-B-1": [
      ...plans(
        planOf("Build the inner", "src/a/b/", "src/a/contract.txt", true),
        "src/a/contract.txt",
        "outer\n",
      ),
      ...passes("O-C-1"),
    ],
    "O-C-1": [
      ...plans(
        planOf("Write the store", "src/a/b/store.js", names, false),
        names,
        'export const idField = "userId";\n',
      ),
      scene(
        "asks above",
        /^\[EVENT align-request\]/u,
        call("escalate", { question: "Which name?", options: [] }),
      ),
      scene(
        "decides for its part",
        /^\[EVENT escalation answered\]/u,
        call("propose_mutation", {
          title: "The id is called user_id",
          reason: "The root says so.",
          edits: [{ path: names, old_text: '"userId"', new_text: '"user_id"' }],
        }),
      ),
      scene(
        "answers",
        /^\[EVENT mutation applied\]/u,
        call("answer_agent", { agent: "agent-1", answer: "user_id." }),
      ),
    ],
    "agent-1": [
      scene("goes on", "user_id.", done("The store keeps users.")),
      scene(
        "asks",
        "[TASK]",
        write("src/a/b/store.js", "export const keep = (row) => table.set(row.userId, row);\n"),
        call("align_request", { question: "userId or user_id?", options: [], blocking: true }),
      ),
    ],
    "compliance-c-1": [
      scene(
        "judges",
        "[COMPLY]",
        call("judge_compliance", { complies: true, reason: "Rows of the table are older.", places: [] }),
      ),
    ],
    "integrator*": [scene("adds nothing", /^\[INTEGRATE\]/u, done("All is together."))],
    "validator-*": vote("approve"),
  },
});

test("a question goes up three levels, its answer comes down, and each level integrates its own work", {
  tags: ["long"],
  timeout: 660_000,
}, async () => {
  fixture = await createFixture({ script, files: twoLevelFiles });
  const one = fixture;
  let line: readonly string[] = [];
  const inside: string[] = [];
  one.answers = {
    ...agreeable,
    async land() {
      const parts = one.engine.state().run?.orchestrators ?? [];
      line = [
        ...parts.flatMap(({ base }) => base ?? []),
        ...parts.toReversed().flatMap(({ integration }) => integration ?? []),
      ];
      for (const [index, above] of line.slice(1).entries())
        inside.push(
          await one.repo.terminal([
            ...["log", "--no-graph", "-r", `${line[index]}:: & ${above}`, "-T", "change_id"],
          ]),
        );
      return { kind: "approve", bookmark: "main" };
    },
  };
  await one.start();
  const run = await one.until(over, 600_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run.orchestrators).toMatchObject([
    { name: "O-A-1", parent: null, level: "A" },
    { name: "O-B-1", parent: "O-A-1", level: "B", state: "done" },
    { name: "O-C-1", parent: "O-B-1", level: "C", state: "done" },
  ]);
  // What is far from the goal is told to write types alone.
  const rigor = (name: string) =>
    requestsOf(one, name).find(({ seen }) => seen.prompt.startsWith("[EVENT contracts]"))?.seen.prompt;
  for (const name of ["O-A-1", "O-B-1"])
    expect(rigor(name)).toMatch(/## How much is written\n\nTypes always; a short note.*acceptance tests/u);
  expect(rigor("O-C-1")).toMatch(/## How much is written\n\nTypes with their limits.*nothing else/u);
  const asked = one.engine
    .state()
    .messages.filter(({ type }) => type === "align-request")
    .map(({ from, to }) => `${from} → ${to}`);
  expect(asked.toSorted()).toEqual(["O-B-1 → O-A-1", "O-C-1 → O-B-1", "agent-1 → O-C-1"]);
  expect(run.decisions).toMatchObject([{ orchestrator: "O-C-1", files: [names] }]);
  // What judging its part costs is its own: whoever stands above answers for it as well.
  expect(run.workers.find(({ name }) => name === "compliance-c-1")).toMatchObject({ parent: "O-C-1" });

  const show = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await show(names)).toBe('export const idField = "user_id";');
  expect(await show("src/a/b/store.js")).toContain("row.userId");
  // Each part lies between its base and its task, one inside the other, on one line.
  expect(line).toHaveLength(6);
  expect(inside).toEqual(line.slice(1));
  // Integrations that changed no file do not land.
  const landed = await one.repo.terminal([
    ...["log", "--no-graph", "-r", "::main ~ root()", "-T", 'description.first_line() ++ "\\n"'],
  ]);
  expect(landed.split("\n")).toEqual([
    "Write the store",
    "The id is called user_id",
    "Contracts: Build the inner",
    "Contracts: Build the outer",
    "Contracts: Keep users",
    "first",
  ]);
  expect(
    await one.repo.terminal(["log", "--no-graph", "-r", "conflicts() | divergent()", "-T", "change_id"]),
  ).toBe("");
});
