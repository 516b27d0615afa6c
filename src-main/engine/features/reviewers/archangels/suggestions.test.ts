import { expect, test } from "vitest";
import { nothingToSay } from "../../../testing/archangel-script.ts";
import { call, config, scriptOf } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const suggest = (suggestion: string, context: string, files: readonly string[] = []) =>
  call("suggest_task", { suggestion, context, priority: "high", files });

test("a suggestion becomes a task, an idea or nothing; ignoring it blocks nothing, and a refused one does not return", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  let isTaken = false;
  let last = "one\n";
  const defaultScript = scriptOf({
    "agent-1": [
      {
        name: "waits",
        prompt: () => !isTaken,
        steps: [write("src/one.txt", "BROKEN\n"), done("Not yet.")],
      },
      {
        name: "is done",
        steps: [call("read_file", { path: "src/one.txt" }), () => write("src/one.txt", last), done("One.")],
      },
    ],
    "archangel-finder": [
      {
        name: "suggests",
        prompt: (seen) => seen.turns === seen.turn,
        steps: [
          suggest("Write two.txt", "Nobody writes two.txt.", ["src/two.txt"]),
          suggest("Tidy the readme", "It is short.", ["readme.md"]),
          suggest("please tidy README, the", "The same in other words.", ["readme.md"]),
          suggest("Rename everything", "Names are long."),
          suggest("One too many", "There are three already."),
          nothingToSay,
        ],
      },
      { name: "has nothing more", steps: [nothingToSay], optional: true },
    ],
  });
  fixture = await createFixture({
    workflow: "auto",
    files: config(
      '[loop_defaults]\nmax_iterations = 1000\n[merge_requests]\nstalled_iterations = 1000\n[[archangel]]\nname = "finder"\npurpose = "Finds work."\nwakes = ["iteration_saved"]\n',
    ),
    script: {
      ...defaultScript,
      routes: {
        ...defaultScript.routes,
        "agent-2": [
          {
            name: "does what was suggested",
            prompt: /Nobody writes two\.txt/,
            steps: [write("src/two.txt", "two\n"), done("Two.")],
          },
        ],
      },
    },
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    suggestion(item) {
      if (item.kind !== "suggestion") return null;
      if (item.suggestion === "Write two.txt") return { kind: "task" };
      return item.suggestion === "Rename everything" ? { kind: "reject", reason: "" } : null;
    },
  };
  const id = await one.start();
  const taken = await one.until((run) => run.suggestions.some(({ state }) => state === "task"));
  isTaken = true;
  expect(taken.awaiting.filter((card) => card.includes("suggestion"))).toEqual([]);
  expect(taken.plan?.tasks.at(-1)).toMatchObject({
    title: "Write two.txt",
    priority: "high",
    files: ["src/two.txt"],
    description: expect.stringContaining("Nobody writes two.txt."),
  });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.suggestions.map(({ suggestion, state }) => [suggestion, state])).toEqual([
    ["Write two.txt", "task"],
    ["Tidy the readme", "open"],
    ["Rename everything", "refused"],
  ]);
  expect(run.workers.find(({ name }) => name === "agent-2")?.status).toBe("done");
  const answers = one.standIn
    .requests()
    .flatMap(({ seen }) => (seen.role === "archangel-finder" ? seen.results : []))
    .filter(({ isError }) => isError)
    .map(({ output }) => output);
  expect(answers).toEqual([
    expect.stringContaining("suggested already"),
    expect.stringContaining("at most 3"),
  ]);

  // In the next run the refused one is refused by itself; an idea is where it begins.
  const idea = await one.execute("ideas.add", { text: "Tidy the readme" });
  await expect(one.start({ idea: "nobody's" })).rejects.toThrow("No idea nobody's");
  last = "another\n";
  one.answers = { ...agreeable, suggestion: () => null };
  const next = await one.start({ goal: idea.text, idea: idea.id });
  expect(next).not.toBe(id);
  expect(await one.execute("ideas.list")).toMatchObject([{ id: idea.id, run: next }]);
  const again = await one.until((view) => view.id === next && view.suggestions.length === 3);
  expect(again.suggestions.map(({ suggestion }) => suggestion)).toEqual([
    "Write two.txt",
    "Tidy the readme",
    "One too many",
  ]);
  await one.execute("run.stop");
  await one.execute("ideas.remove", { id: idea.id });
  expect(await one.execute("ideas.list")).toEqual([]);
  await expect(one.execute("ideas.remove", { id: idea.id })).rejects.toThrow("No idea");
});

test("a suggestion sent to an agent is information in its next prompt; a kept one is a goal for later", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: config(
      '[loop_defaults]\nmax_iterations = 1000\n[merge_requests]\nstalled_iterations = 1000\n[[archangel]]\nname = "finder"\npurpose = "Finds work."\nwakes = ["iteration_saved"]\n',
    ),
    script: scriptOf({
      "agent-1": [
        {
          name: "is done",
          prompt: "Nobody has said what one.txt is for.",
          steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "one\n"), done("One.")],
        },
        { name: "waits", steps: [write("src/one.txt", "BROKEN\n"), done("Not yet.")] },
      ],
      "archangel-finder": [
        {
          name: "suggests",
          prompt: (seen) => seen.turns === seen.turn,
          steps: [
            suggest("Say what one.txt is for", "Nobody has said what one.txt is for."),
            suggest("Have a readme for strangers", "It is short.", ["readme.md"]),
            nothingToSay,
          ],
        },
        { name: "has nothing more", steps: [nothingToSay], optional: true },
      ],
    }),
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    suggestion: (item) =>
      item.kind === "suggestion" && item.suggestion.startsWith("Say")
        ? { kind: "message", to: "agent-1" }
        : { kind: "idea" },
  };
  await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.suggestions.map(({ suggestion, state }) => [suggestion, state])).toEqual([
    ["Say what one.txt is for", "message"],
    ["Have a readme for strangers", "idea"],
  ]);
  const delivered = one.standIn
    .requests()
    .find(({ seen }) => seen.role === "agent-1" && seen.prompt.includes("Nobody has said what"))?.seen.prompt;
  // Whose words they are stands before them, and they are quoted.
  expect(delivered).toMatch(
    /From archangel-finder: A background reviewer \(finder\) suggests[\s\S]*Nobody has said/u,
  );
  expect(await one.execute("ideas.list")).toMatchObject([
    { text: expect.stringContaining("Have a readme for strangers"), run: null },
  ]);
});

test("an orchestrator turns a suggestion into a task: its card is withdrawn, and you are told who did it", async () => {
  let isSuggested = false;
  fixture = await createFixture({
    workflow: "one-judge",
    files: config(
      '[loop_defaults]\nmax_iterations = 1000\n[merge_requests]\nstalled_iterations = 1000\n[[archangel]]\nname = "finder"\npurpose = "Finds work."\nwakes = ["iteration_saved"]\n',
    ),
    script: scriptOf(
      {
        "agent-1": [
          {
            name: "waits",
            prompt: () => !isSuggested,
            steps: [write("src/one.txt", "BROKEN\n"), done("Not yet.")],
          },
          {
            name: "is done",
            steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "one\n"), done("One.")],
          },
        ],
        "archangel-finder": [
          {
            name: "suggests",
            prompt: (seen) => seen.turns === seen.turn,
            steps: [suggest("Write two.txt", "Nobody writes two.txt.", ["src/two.txt"]), nothingToSay],
          },
          { name: "has nothing more", steps: [nothingToSay], optional: true },
        ],
      },
      [
        {
          name: "takes the suggestion",
          prompt:
            /^\[EVENT merge request ready\][\s\S]*Suggestions of reviewers[\s\S]*Nobody writes two\.txt/u,
          steps: [
            call("take_suggestion", { suggestion: "nobody's" }),
            (seen) =>
              call("take_suggestion", {
                suggestion: /- (\S+), from finder: Write two\.txt/u.exec(seen.prompt)?.[1] ?? "",
              }),
          ],
        },
      ],
    ),
  });
  const one = fixture;
  one.answers = { ...agreeable, suggestion: () => null };
  await one.start();
  const asked = await one.until((run) => run.suggestions.length === 1);
  expect(asked.suggestions).toMatchObject([{ state: "open" }]);
  isSuggested = true;
  const run = await one.until((view) => view.suggestions.some(({ state }) => state === "task"));
  expect(run.suggestions).toMatchObject([{ suggestion: "Write two.txt", takenBy: "O-A-1" }]);
  expect(run.plan?.tasks.at(-1)).toMatchObject({
    title: "Write two.txt",
    description: expect.stringContaining("taken by O-A-1"),
  });
  expect(one.engine.state().inbox.filter(({ kind }) => kind === "suggestion")).toEqual([]);
  expect(one.events).toContainEqual(
    expect.objectContaining({
      kind: "notice",
      text: "O-A-1 turned a suggestion of finder into a task: Write two.txt",
    }),
  );
  const refused = one.standIn.requests().flatMap(({ seen }) => seen.results.filter(({ isError }) => isError));
  expect(refused.map(({ output }) => output)).toContainEqual(
    expect.stringContaining("No suggestion nobody's waits for you."),
  );
  await one.execute("run.stop");
});
