import { expect, test } from "vitest";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { archangelTable, nothingToSay } from "../../../testing/archangel-script.ts";
import { call, config, scriptOf } from "../../../testing/merge-request-script.ts";
import { requestsOf } from "../../../testing/read-run.ts";
import { createFixture, type Fixture, isJoined } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const commentsOn = (path: string, text: string) => [
  {
    name: "hears an answer",
    prompt: "## Answers to your comments",
    steps: [call("reply", { comment: "asker-1", text: "Because it is empty." }), nothingToSay],
    optional: true,
  },
  {
    name: "comments once",
    prompt: (seen: { readonly turns: number; readonly turn: number }) => seen.turns === seen.turn,
    steps: [call("comment", { path, line: 1, text, relation: "risk" }), nothingToSay],
  },
  { name: "has said it", steps: [nothingToSay], optional: true },
];

test("an agent reads only what the user, its orchestrator or the settings pass on, as information", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const tries = (path: string, until: RegExp) => [
    {
      name: "was told",
      prompt: until,
      steps: [call("read_file", { path }), write(path, "good\n"), done("Good.")],
    },
    {
      name: "tries",
      prompt: "## Last checks",
      steps: [call("read_file", { path }), write(path, "BROKEN\nagain\n"), done("Again.")],
      optional: true,
    },
    { name: "begins", steps: [write(path, "BROKEN\n"), done("Begun.")] },
  ];
  fixture = await createFixture({
    workflow: "one-judge",
    files: config(
      [
        "[loop_defaults]\nmax_iterations = 1000\n[merge_requests]\nstalled_iterations = 1000\n",
        archangelTable("sender", 'wakes = ["iteration_saved"]\npaths = ["src/one.txt"]\ndeliver = "agent"'),
        archangelTable("asker", 'wakes = ["iteration_saved"]\npaths = ["src/two.txt"]'),
        archangelTable(
          "teller",
          'wakes = ["iteration_saved"]\npaths = ["src/three.txt"]\ncomments = "orchestrator"',
        ),
      ].join(""),
    ),
    script: scriptOf(
      {
        "agent-1": tries("src/one.txt", /A background reviewer \(sender\)[\s\S]*no order/),
        "agent-2": tries("src/two.txt", /A background reviewer \(asker\)/),
        "agent-3": [
          {
            name: "asks",
            prompt: (seen) => seen.prompt.includes("## Last checks") && !seen.prompt.includes("Go on."),
            steps: [call("align_request", { question: "Go on?", options: [], blocking: true })],
          },
          ...tries("src/three.txt", /A background reviewer \(teller\)/),
        ],
        "archangel-sender": commentsOn("src/one.txt", "One is broken."),
        "archangel-asker": commentsOn("src/two.txt", "Two is broken."),
        "archangel-teller": commentsOn("src/three.txt", "Three is broken."),
      },
      [
        {
          name: "passes on",
          prompt: (seen) =>
            seen.prompt.startsWith("[EVENT align-request]") &&
            seen.prompt.includes("pass_on_comment with comment teller-1"),
          steps: [
            call("pass_on_comment", { comment: "sender-1" }),
            call("pass_on_comment", { comment: "teller-1" }),
            call("answer_agent", { agent: "agent-3", answer: "Go on." }),
          ],
        },
        {
          name: "waits to be told",
          prompt: /^\[EVENT align-request\]/,
          steps: [call("answer_agent", { agent: "agent-3", answer: "Wait a little." })],
          optional: true,
        },
      ],
    ),
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.comments.some(({ archangel }) => archangel === "asker"));

  // A user answers, and the archangel does; then the user sends it on.
  await one.execute("comment.reply", { comment: "asker-1", text: "Why?" });
  const replied = await one.until((run) =>
    run.comments.some(({ id, replies }) => id === "asker-1" && replies.length === 2),
  );
  expect(replied.comments.find(({ id }) => id === "asker-1")?.replies).toMatchObject([
    { by: "you", text: "Why?" },
    { by: "asker", text: "Because it is empty." },
  ]);
  const requests = (role: string) => requestsOf(one, role);
  expect(JSON.stringify(requests("agent-2").map(({ body }) => body))).not.toContain("Two is broken");
  expect(await one.execute("comment.send", { comment: "asker-1" })).toEqual({ worker: "agent-2" });
  expect(await one.execute("comment.send", { comment: "asker-1" })).toEqual({ worker: "agent-2" });
  await one.execute("comment.resolve", { comment: "asker-1", isResolved: true });
  await expect(one.execute("comment.send", { comment: "asker-9" })).rejects.toThrow("asker-9");

  const run = await one.until(isJoined);
  const stands = Object.fromEntries(run.comments.map((comment) => [comment.id, comment]));
  expect(stands["sender-1"]?.sentTo).toBe("agent-1");
  expect(stands["asker-1"]).toMatchObject({ sentTo: "agent-2", isResolved: true });
  expect(stands["teller-1"]?.sentTo).toBe("agent-3");
  // The line is another one now.
  expect(stands["sender-1"]).toMatchObject({ isOutdated: true, line: null, lineText: "BROKEN" });
  // Quoted among the messages, from whoever said it.
  const heard = requests("agent-1").find(({ seen }) => seen.prompt.includes("One is broken"));
  expect(sectionOf(heard?.seen.prompt ?? "", "Messages")).toContain("From archangel-sender");
  expect(heard?.seen.prompt).toMatch(/^> One is broken\.$/mu);
  // An orchestrator passes on what it was told of, and nothing else.
  const passed = requests("O-A-1").flatMap(({ seen }) => seen.results);
  expect(passed.find(({ tool, isError }) => tool === "pass_on_comment" && isError)?.output).toContain(
    "There is no comment sender-1 for you. Comments: teller-1.",
  );
  // They hear nothing of each other.
  for (const [name, others] of [
    ["sender", /Two is|Three is/u],
    ["asker", /One is|Three is/u],
    ["teller", /One is|Two is/u],
  ] as const)
    expect(JSON.stringify(requests(`archangel-${name}`).map(({ body }) => body))).not.toMatch(others);
});
