import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type Script, type Seen } from "../../../../model/stand-in/script.ts";
import type { StandInRequest } from "../../../../model/stand-in/stand-in.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, exampleFiles, plan, vote, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const tasksOf = (...ids: readonly string[]): Plan => ({
  ...plan,
  contracts: { title: "Manners", description: "One line in each file.", files: ["src/manners.txt"] },
  tasks: ids.map((id) => ({
    ...{ id, title: `Write the ${id}`, description: `Write src/${id}.txt, one line.`, phase: 1 },
    ...{ priority: "medium" as const, files: [`src/${id}.txt`], after: [] },
  })),
});

const planner = (proposed: Plan): readonly Scene[] => [
  {
    name: "plan",
    prompt: /^\[EVENT plan(?: changed)?\]/u,
    steps: [{ calls: [{ tool: "propose_plan", input: { ...proposed } }] }],
  },
];

const writes = (id: string): readonly Scene[] => [
  { name: "works", steps: [write(`src/${id}.txt`, `words of the ${id}\n`), done(`The ${id} is written.`)] },
];

const script = (routes: Script["routes"]): Script => defineScript({ name: "seats", routes });

const configured = (...lines: readonly string[]): Readonly<Record<string, string>> => ({
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[validation]\n${lines.join("\n")}\n`,
});

const ballots = (requests: readonly StandInRequest[]): readonly Seen[] =>
  requests.map(({ seen }) => seen).filter(({ prompt }) => prompt.startsWith("[VALIDATE]"));
const commitOf = (seen: Seen): string => /Commit: ([0-9a-f]+)/u.exec(seen.prompt)?.[1] ?? "";

test("editing a result during votes discards them: the seats judge the new version", {
  tags: ["long"],
}, async () => {
  let first: string | undefined;
  const slow: Scene = {
    name: "is still looking when the result changes",
    prompt: "[VALIDATE]",
    steps: [
      (seen) => {
        first ??= commitOf(seen);
        const isFirst = commitOf(seen) === first;
        return {
          calls: [
            isFirst
              ? { tool: "run_command", input: { command: "sleep 100" } }
              : { tool: "cast_vote", input: { vote: "approve", commit: commitOf(seen), reason: "Both." } },
          ],
        };
      },
    ],
  };
  fixture = await createFixture({
    workflow: "auto",
    files: configured("validator_count = 4", "[workflow]", 'panel = "on"'),
    script: script({
      "O-A-1": planner(tasksOf("store")),
      "agent-1": writes("store"),
      "validator-4": [slow],
      "validator-*": vote("approve"),
    }),
  });
  await fixture.start();
  // Three of four approve: enough, while the last one still looks.
  const judged = await fixture.until((run) => run.validation?.verdict === "approved");
  const { integration } = judged;
  if (integration === null || first === undefined) throw new Error("Nothing is judged.");

  const workspace = join(fixture.repo.folder, "beside");
  await fixture.repo.terminal(["workspace", "add", workspace, "-r", integration]);
  await writeFile(join(workspace, "src", "store.txt"), "words of the store\nwords of a user\n");
  await fixture.repo.terminal(["-R", workspace, "squash", "--into", integration, "-m", "By hand"]);

  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", validation: { verdict: "approved", attempt: 1 } });
  const seen = ballots(fixture.standIn.requests());
  const commits = [...new Set(seen.map(commitOf))];
  expect(commits).toHaveLength(2);
  expect(commits[0]).toBe(first);
  expect(run.validation?.commitId).toBe(commits[1]);
  for (const commit of commits) expect(seen.filter((one) => commitOf(one) === commit)).toHaveLength(4);
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe(
    "words of the store\nwords of a user",
  );
  expect(fixture.events).toContainEqual(
    expect.objectContaining({ kind: "notice", text: expect.stringContaining("the votes are void") }),
  );
});

test("peers judge the others' work, each without its own work and with its own model; a judge fills up", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: configured('strategy = "peer_review"', "[workflow]", 'panel = "on"', 'integrator = "on"'),
    script: script({
      "O-A-1": planner(tasksOf("store", "api", "view")),
      "agent-1": writes("store"),
      "agent-2": writes("api"),
      "agent-3": writes("view"),
      integrator: [
        {
          name: "brings together",
          steps: [write("src/index.txt", "words of the index\n"), done("Together.")],
        },
      ],
      "validator-2": vote("reject"),
      "validator-*": vote("approve"),
    }),
  });
  await fixture.start();
  const run = await fixture.until(over);
  expect(run.validation).toMatchObject({
    strategy: "peer_review",
    notes: ["3 agents worked on it. Validators cast the other vote."],
    verdict: "approved",
    seats: [
      {
        seat: "validator-1",
        peer: "agent-1",
        evidence: "others",
        vote: "approve",
        model: "claude-sonnet-5-5",
      },
      { seat: "validator-2", peer: "agent-2", evidence: "others", vote: "reject" },
      { seat: "validator-3", peer: "agent-3", evidence: "others", vote: "approve" },
      { seat: "validator-4", evidence: "result", vote: "approve" },
    ],
  });
  expect(run.validation?.seats[3]).not.toHaveProperty("peer");
  const works = ["store", "api", "view"];
  for (const [index, own] of works.entries()) {
    const seen = ballots(fixture.standIn.requests()).find(({ role }) => role === `validator-${index + 1}`);
    const prompt = seen?.prompt ?? "";
    expect(prompt).toContain(`You were agent-${index + 1} in this run. Your task was: Write the ${own}`);
    // Its own lines are nowhere, everybody else's are, and the integrator's.
    expect(prompt).not.toContain(`words of the ${own}`);
    for (const other of [...works.filter((id) => id !== own), "index"])
      expect(prompt).toContain(`+words of the ${other}`);
    expect(seen?.tools).not.toContain("write_file");
    // What another seat said is told to nobody.
    expect(prompt).not.toMatch(/validator-(?!\d+, evidence)|approves|I do not like it/u);
  }
});

test("with enough history results are compared with earlier ones, and before that it is said", {
  tags: "long",
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: configured('strategy = "historical_compare"', 'models = ["claude-haiku-5-5"]'),
    script: script({
      "O-A-1": planner(tasksOf("store")),
      "agent-*": [
        {
          name: "works",
          steps: [
            (seen) =>
              write(`src/${/Run: (\S+)/u.exec(seen.prompt)?.[1] ?? `at-${Date.now()}`}.txt`, "words\n"),
            done("It is written."),
          ],
        },
      ],
      "validator-1": vote("approve"),
    }),
  });
  for (const [at, goal] of ["Keep users", "Draw a map of the coast", "Keep users by mail"].entries()) {
    const id = await fixture.start({ goal });
    const run = await fixture.until((one) => one.id === id && over(one));
    expect(run.validation).toMatchObject({ strategy: "dedicated_validators", verdict: "approved" });
    expect(run.validation?.notes?.join()).toContain(`${at === 0 ? "No" : at} finished run`);
  }
  const id = await fixture.start({ goal: "Keep users for good" });
  const run = await fixture.until((one) => one.id === id && over(one));
  expect(run.validation).toMatchObject({
    strategy: "historical_compare",
    seats: [{ model: "claude-haiku-5-5", vote: "approve" }],
  });
  expect(run.validation).not.toHaveProperty("notes");
  const [first, ...others] = ballots(fixture.standIn.requests()).toReversed();
  expect(first?.model).toBe("claude-haiku-5-5");
  const text = first?.prompt ?? "";
  expect(text).toContain("## Earlier runs of this repository");
  expect([...text.matchAll(/, complete, approved by 1 of 1: (.*)/gu)].map(([, goal]) => goal)).toEqual([
    ...["Keep users", "Keep users by mail", "Draw a map of the coast"],
  ]);
  expect(text).toContain("This run: agents 1, phases 1, iterations 1");
  expect(text).toContain("## Diff against what the run was built on");
  for (const other of others) expect(other.prompt).not.toContain("## Earlier runs");
});
