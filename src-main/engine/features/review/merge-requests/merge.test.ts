import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Scene } from "../../../../model/stand-in/script.ts";
import {
  call,
  config,
  merged,
  parentsOf,
  scriptOf,
  show,
  worker,
  works,
} from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("finished siblings build on each other, and the one that finishes later resolves its conflict in its own conversation", async () => {
  const shared = "src/shared.txt";
  fixture = await createFixture({
    script: scriptOf(
      {
        "agent-1": works(write("src/one.txt", "one\n"), write(shared, "from one\n"), done("One.")),
        // Waits for the first to be merged, then takes it in and sees its file.
        "agent-2": [
          {
            name: "goes on",
            prompt: /## Came in from others[\s\S]*Task of agent-1 \(agent-1\): One\./,
            steps: [call("read_file", { path: "src/one.txt" }), write("src/two.txt", "two\n"), done("Two.")],
          },
          {
            name: "waits",
            steps: [call("align_request", { question: "Go on?", options: ["yes"], blocking: true })],
          },
        ],
        "agent-3": [
          {
            name: "resolves",
            prompt: /## Conflicts[\s\S]*agent-1: Task of agent-1 \(src\/shared\.txt\)[\s\S]*One\./,
            steps: [
              call("read_file", { path: shared }),
              write(shared, "from one\nfrom three\n"),
              done("Three, with one."),
            ],
          },
          {
            name: "goes on",
            prompt: "## Messages",
            steps: [write("src/three.txt", "three\n"), done("Three.")],
          },
          {
            name: "waits",
            steps: [
              write(shared, "from three\n"),
              call("align_request", { question: "Go on as well?", options: ["yes"], blocking: true }),
            ],
          },
        ],
      },
      [
        {
          name: "lets them go on",
          prompt: /^\[EVENT align-request\]/,
          steps: [call("ask_user", { question: "Shall it go on?", options: [] })],
        },
        {
          name: "passes it on",
          prompt: /^\[EVENT user answered\]/,
          steps: [
            (seen) =>
              call("answer_agent", { agent: /of (agent-\d)/.exec(seen.prompt)?.[1] ?? "", answer: "Go on." }),
          ],
        },
      ],
    ),
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    "align-request": async () => {
      await one.until(merged("agent-1"));
      return { kind: "answer", text: "Yes." };
    },
    land: () => null,
  };
  await one.start();
  await one.card("land");
  const run = one.engine.state().run as RunView;
  expect(one.standIn.unmatched()).toEqual([]);
  const [first, second, third] = ["agent-1", "agent-2", "agent-3"].map((name) => worker(run, name));
  expect([first, second, third].map((each) => each?.mergeRequest?.state)).toEqual(
    [1, 2, 3].map(() => ({ stage: "merged", place: "trunk" })),
  );
  // Reviewed once: the conflict was resolved before.
  expect(third).toMatchObject({ conflict: "none", mergeRequest: { round: 1, summary: "Three, with one." } });
  // One commit after another, in whatever order they finished.
  const below = await Promise.all([second, third].map((each) => parentsOf(one, each?.changeId ?? null)));
  const last = below[0]?.[0] === first?.changeId ? third : second;
  expect(below.flat().toSorted()).toEqual(
    [first, last === third ? second : third].map((each) => each?.changeId).toSorted(),
  );
  expect(await parentsOf(one, run.integration)).toEqual([last?.changeId]);
  expect(await show(one, run.integration ?? "", shared)).toBe("from one\nfrom three");
  const resolving = one.standIn.requests().filter(({ seen }) => seen.prompt.includes("## Conflicts"));
  expect(resolving[0]?.seen).toMatchObject({ role: "agent-3" });
  // The conversation that it continues has its task and its report.
  expect(JSON.stringify(resolving[0]?.body)).toMatch(/\[TASK\] Task of agent-3.*"summary":"Three\."/u);
}, 300_000);

test("work that fails on its siblings' merged work is not merged, and does not count as done", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  // Both pass alone and fail together; whoever comes second takes the other's file away.
  const agent = (mine: string, other: string): readonly Scene[] => [
    {
      name: "repairs",
      prompt: (seen) =>
        seen.prompt.includes("## Last checks") && /## Came in from others[\s\S]*: Done\./.test(seen.prompt),
      steps: [call("run_command", { command: `rm -f ${other}` }), done("Mine instead.")],
    },
    { name: "begins", steps: [write(mine, "mine\n"), done("Done.")] },
  ];
  fixture = await createFixture({
    files: { ...config(""), "check.sh": "! { test -e src/one.txt && test -e src/two.txt; }\n" },
    script: scriptOf({
      "agent-1": agent("src/one.txt", "src/two.txt"),
      "agent-2": agent("src/two.txt", "src/one.txt"),
    }),
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const landed = await one.repo.terminal(["file", "list", "--ignore-working-copy", "-r", "main", "src"]);
  expect(landed.split("\n").filter((path) => /(?:one|two)\.txt$/u.test(path))).toHaveLength(1);
  const both = [worker(run, "agent-1"), worker(run, "agent-2")];
  expect(both.map((each) => each.mergeRequest?.state)).toEqual([
    { stage: "merged", place: "trunk" },
    { stage: "merged", place: "trunk" },
  ]);
  expect(Math.max(...both.map((each) => each.iteration))).toBeGreaterThan(1);
});

test('with strategy = "merge" no agent takes anything in: all of it is merged in the integration', {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    files: config('[merge_requests]\nstrategy = "merge"\nreview = "none"\n'),
    script: scriptOf({
      "agent-1": works(write("src/one.txt", "one\n"), done("One.")),
      "agent-2": works(write("src/two.txt", "two\n"), done("Two.")),
    }),
  });
  const one = fixture;
  // One after the other, so that the second could have stood on the first.
  one.settings = { ...one.settings, maxParallelAgents: 1 };
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  await one.card("land");
  const run = one.engine.state().run as RunView;
  expect(one.standIn.unmatched()).toEqual([]);
  const both = [worker(run, "agent-1"), worker(run, "agent-2")];
  expect(both.map(({ mergeRequest }) => mergeRequest?.state)).toEqual([
    { stage: "merged", place: "beside" },
    { stage: "merged", place: "beside" },
  ]);
  for (const { changeId } of both) expect(await parentsOf(one, changeId)).toEqual([run.base]);
  expect((await parentsOf(one, run.integration)).toSorted()).toEqual(
    both.map(({ changeId }) => changeId).toSorted(),
  );
  for (const name of ["one", "two"])
    expect(await show(one, run.integration ?? "", `src/${name}.txt`)).toBe(name);
  await one.execute("run.stop");
});
