import { afterEach, expect, test } from "vitest";
import type { RunView } from "#shared/contract/views.ts";
import type { Scene, Script, ScriptedStep, Seen } from "../model/stand-in/script.ts";
import { agreeable, createFixture, type Fixture, over } from "./testing/run-fixture.ts";
import { done, exampleFiles, plan, threeAgents, write } from "./testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const worker = (run: RunView, name: string) => {
  const found = run.workers.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};
const merged =
  (...names: readonly string[]) =>
  (run: RunView) =>
    names.every((name) => run.workers.some((w) => w.name === name && w.fold?.state.stage === "merged"));
/** `[EVENT fold ready]` about this agent, in this round. */
const foldOf = (agent: string, round: number) => (seen: Seen) =>
  seen.prompt.startsWith("[EVENT fold ready]") &&
  seen.prompt.includes(`${agent} says that its task is done`) &&
  seen.prompt.includes(`Round ${round}.`);

/** Tasks that depend on nobody, by agents that do as the test says. */
function scriptOf(
  agents: Readonly<Record<string, readonly Scene[]>>,
  orchestrator: readonly Scene[] = [],
): Script {
  const names = Object.keys(agents).filter((name) => name.startsWith("agent-"));
  const tasks = names.map((name, at) => ({
    ...(plan.tasks[at] ?? plan.tasks[0]),
    id: name,
    title: `Task of ${name}`,
    files: [],
    after: [],
  }));
  return {
    name: "folds",
    routes: {
      ...threeAgents.routes,
      "O-A-1": [
        ...orchestrator,
        {
          name: "plan",
          prompt: /^\[EVENT plan\]/,
          steps: [call("propose_plan", { ...plan, tasks })],
        },
        ...(threeAgents.routes["O-A-1"] ?? []).filter((scene) => scene.name !== "plan"),
      ],
      ...agents,
    },
  };
}

const works = (...steps: readonly ScriptedStep[]): readonly Scene[] => [{ name: "works", steps }];
const config = (lines: string) => ({
  ...exampleFiles,
  ".hox/config.toml": `[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n${lines}`,
});
const show = (one: Fixture, revset: string, path: string) =>
  one.repo.terminal(["file", "show", "--ignore-working-copy", "-r", revset, path]);
const parentsOf = async (one: Fixture, change: string | null) =>
  (
    await one.repo.terminal([
      "log",
      "--ignore-working-copy",
      "--no-graph",
      "-r",
      `${change}-`,
      "-T",
      'change_id ++ " "',
    ])
  )
    .trim()
    .split(" ");

test("what passes only because of files that nobody else has is sent back from a fresh checkout", async () => {
  // The check wants a file that the agent made and jj ignores.
  fixture = await createFixture({
    files: {
      ...config(""),
      ".gitignore": "*.local\n",
      "check.sh": "test ! -e src/one.txt || test -e made.local || test -e made.txt\n",
    },
    script: scriptOf({
      "agent-1": [
        {
          name: "begins",
          prompt: (seen) => !seen.prompt.includes("## Changes requested"),
          steps: [write("src/one.txt", "one\n"), write("made.local", "mine\n"), done("It passes here.")],
        },
        {
          name: "sent back",
          prompt: /fresh checkout of your change \(sh check\.sh: failed\)[\s\S]*## Last checks[\s\S]*failed/,
          steps: [write("made.txt", "for all\n"), done("It passes everywhere.")],
        },
      ],
    }),
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const { fold, status } = worker(run, "agent-1");
  expect(fold?.voices.map(({ round, by, verdict }) => [round, by, verdict])).toEqual([
    [1, "checks", "changes"],
    [2, "parent", "approved"],
  ]);
  expect([fold?.round, fold?.state, status]).toEqual([2, { stage: "merged", place: "trunk" }, "done"]);
  expect(await one.repo.terminal(["workspace", "list"])).not.toContain("checkout-");
  expect(one.standIn.unmatched()).toEqual([]);
}, 300_000);

test("a parent's request reaches the agent in every prompt until it is done, and survives a restart", async () => {
  fixture = await createFixture({
    script: scriptOf(
      {
        "agent-1": [
          {
            name: "again, first half",
            prompt: (seen) =>
              seen.prompt.includes("## Changes requested") && !seen.prompt.includes("Iteration 3."),
            steps: [call("read_file", { path: "src/one.txt" }), { say: "I think about it." }],
          },
          {
            name: "again, second half",
            prompt: (seen) =>
              seen.prompt.includes("Say two, not one.") && seen.prompt.includes("Iteration 3."),
            steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "two\n"), done("Two.")],
          },
          { name: "begins", steps: [write("src/one.txt", "one\n"), done("One.")] },
        ],
      },
      [
        {
          name: "asks for changes",
          prompt: (seen) => foldOf("agent-1", 1)(seen) && seen.prompt.includes("+one"),
          steps: [call("request_changes", { reason: "Say two, not one." })],
        },
        {
          name: "accepts",
          prompt: (seen) =>
            foldOf("agent-1", 2)(seen) &&
            seen.prompt.includes("+two") &&
            seen.prompt.includes("Round 1, parent: changes: Say two, not one."),
          steps: [call("approve_fold", { comment: "Two it is." })],
        },
      ],
    ),
    pace: 3,
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.workers.some((w) => w.fold?.state.stage === "changes-requested"));
  await one.reopen();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1").fold?.voices.at(-1)).toEqual({
    round: 2,
    by: "parent",
    verdict: "approved",
    words: "Two it is.",
  });
  expect(one.standIn.unmatched()).toEqual([]);
  expect(await show(one, "main", "src/one.txt")).toBe("two");
  // The request is a message on the graph, from the parent to its agent, and handled.
  const sent = one.engine.state().messages.filter((message) => message.text === "Say two, not one.");
  expect(sent).toMatchObject([{ from: "O-A-1", to: "O-A-1/agent-1", handled: true }]);
}, 300_000);

test("finished siblings stand on each other; who would conflict stays beside, and the integrator joins them", async () => {
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
        integrator: [
          {
            name: "joins",
            steps: [
              call("read_file", { path: shared }),
              write(shared, "from one\nfrom three\n"),
              done("Together."),
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
  expect([first, second, third].map((each) => each?.fold?.state)).toEqual([
    { stage: "merged", place: "trunk" },
    { stage: "merged", place: "trunk" },
    { stage: "merged", place: "beside" },
  ]);
  expect(third?.beside).toBe(true);
  expect(await parentsOf(one, second?.changeId ?? null)).toEqual([first?.changeId]);
  expect(await parentsOf(one, third?.changeId ?? null)).toEqual([run.base]);
  expect((await parentsOf(one, run.integration)).toSorted()).toEqual(
    [second?.changeId, third?.changeId].toSorted(),
  );
  expect(await show(one, run.integration ?? "", shared)).toBe("from one\nfrom three");
  expect(run.metrics.find((each) => each.worker === "integrator")?.conflictsMet).toBe(1);
}, 300_000);

test("work that no longer passes on what its siblings merged is not merged, and cannot count as done before", async () => {
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
  expect(both.map((each) => each.fold?.state)).toEqual([
    { stage: "merged", place: "trunk" },
    { stage: "merged", place: "trunk" },
  ]);
  expect(Math.max(...both.map((each) => each.iteration))).toBeGreaterThan(1);
}, 300_000);

test("after too many rounds a person decides: once more, then as it is", async () => {
  fixture = await createFixture({
    files: config("[fold]\nmax_rounds = 1\n"),
    script: scriptOf(
      {
        "agent-1": [
          {
            name: "once more",
            prompt: "Try a poem.",
            steps: [
              call("read_file", { path: "src/one.txt" }),
              write("src/one.txt", "a poem\n"),
              done("A poem."),
            ],
          },
          { name: "begins", steps: [write("src/one.txt", "prose\n"), done("Prose.")] },
        ],
      },
      [
        {
          name: "never content",
          prompt: /^\[EVENT fold ready\]/,
          steps: [call("request_changes", { reason: "Not like this." })],
        },
      ],
    ),
  });
  const one = fixture;
  one.answers = { ...agreeable };
  await one.start();
  const card = await one.card("fold");
  expect(card).toMatchObject({ kind: "fold", from: "agent-1", round: 1, why: "too-many-rounds" });
  expect(card.kind === "fold" && card.diff).toContain("+prose");
  await one.reopen();
  expect(await one.card("fold")).toEqual(card);
  await one.engine.answer({ ...card, decision: { kind: "reject", reason: "Try a poem." } });
  await one.until((_, inbox) => inbox.some((item) => item.kind === "fold" && item.round === 2));
  const again = await one.card("fold");
  await one.engine.answer({ ...again, decision: { kind: "approve" } });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", "src/one.txt")).toBe("a poem");
  expect(one.standIn.unmatched()).toEqual([]);
}, 300_000);

test("a person who reviews may give a task up; the run goes on without it", async () => {
  fixture = await createFixture({
    files: config('[fold]\nreview = "person"\n'),
    script: scriptOf({
      "agent-1": works(write("src/one.txt", "one\n"), done("One.")),
      "agent-2": works(write("src/two.txt", "two\n"), done("Two.")),
    }),
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    fold: (item) =>
      item.kind === "fold" && item.from === "agent-1" ? { kind: "abandon" } : { kind: "approve" },
  };
  await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1")).toMatchObject({
    status: "abandoned",
    fold: { state: { stage: "withdrawn" } },
  });
  const files = await one.repo.terminal(["file", "list", "--ignore-working-copy", "-r", "main"]);
  expect(files).toContain("src/two.txt");
  expect(files).not.toContain("src/one.txt");
}, 300_000);

test("closed wherever it stands, a fold goes on there: nobody judges or checks twice what was said", async () => {
  fixture = await createFixture({
    pace: 10,
    script: scriptOf(
      {
        "agent-1": [
          {
            name: "again",
            prompt: "## Changes requested",
            steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "two\n"), done("Two.")],
          },
          { name: "begins", steps: [write("src/one.txt", "one\n"), done("One.")] },
        ],
      },
      [
        {
          name: "asks for changes",
          prompt: foldOf("agent-1", 1),
          steps: [call("request_changes", { reason: "Say two." })],
        },
      ],
    ),
  });
  const one = fixture;
  await one.start();
  const seen: string[] = [];
  for (const stage of ["checking", "review", "changes-requested", "checking", "review", "approved"]) {
    const run = await one.until((each) =>
      each.workers.some((w) => w.name === "agent-1" && ["merged", stage].includes(w.fold?.state.stage ?? "")),
    );
    seen.push(worker(run, "agent-1").fold?.state.stage ?? "");
    await one.reopen();
  }
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(seen.slice(0, 3)).toEqual(["checking", "review", "changes-requested"]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1").fold).toMatchObject({
    round: 2,
    state: { stage: "merged", place: "trunk" },
    voices: [
      { round: 1, by: "parent", verdict: "changes" },
      { round: 2, by: "parent", verdict: "approved" },
    ],
  });
  expect(await show(one, "main", "src/one.txt")).toBe("two");
}, 300_000);

test("a first reviewer speaks once, with its own model, and the agent answers it alone", async () => {
  fixture = await createFixture({
    files: config('[fold]\nfirst_reviewer = "claude-haiku-5-5"\n'),
    script: scriptOf({
      "agent-1": [
        {
          name: "answers",
          prompt: /A first reviewer read your work[\s\S]*It is empty\./,
          steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "full\n"), done("Full.")],
        },
        { name: "begins", steps: [write("src/one.txt", "\n"), done("Begun.")] },
      ],
      "reviewer-*": [
        {
          name: "reads",
          prompt: "[REVIEW]",
          steps: [
            call("read_file", { path: "src/one.txt" }),
            call("give_remarks", { verdict: "changes", remarks: "It is empty." }),
          ],
        },
      ],
    }),
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1").fold?.voices).toEqual([
    { round: 1, by: "first", verdict: "changes", words: "It is empty." },
    { round: 2, by: "parent", verdict: "approved", words: "As asked." },
  ]);
  const read = one.standIn.requests().filter((request) => request.seen.role === "reviewer-agent-1");
  expect(read.map((request) => request.seen.model)).toEqual(["claude-haiku-5-5", "claude-haiku-5-5"]);
}, 300_000);

test("merged work is undone from under a sibling that took it in; that one goes on without it", async () => {
  fixture = await createFixture({
    script: scriptOf(
      {
        "agent-1": works(write("src/one.txt", "one\n"), done("One.")),
        "agent-2": [
          {
            name: "ends",
            prompt: (seen) => seen.prompt.includes("## Messages") && seen.prompt.includes("Iteration 3."),
            steps: [done("Two.")],
          },
          {
            name: "goes on and asks again",
            prompt: "## Messages",
            steps: [
              write("src/two.txt", "two\n"),
              call("align_request", { question: "And now?", options: ["yes"], blocking: true }),
            ],
          },
          {
            name: "asks",
            steps: [call("align_request", { question: "Go on?", options: ["yes"], blocking: true })],
          },
        ],
      },
      [
        {
          name: "passes the question on",
          prompt: /^\[EVENT align-request\]/,
          steps: [
            (seen) =>
              call("ask_user", {
                question: seen.prompt.includes("And now?") ? "And now?" : "Go on?",
                options: [],
              }),
          ],
        },
        {
          name: "passes the answer on",
          prompt: /^\[EVENT user answered\]/,
          steps: [call("answer_agent", { agent: "agent-2", answer: "Go on." })],
        },
      ],
    ),
  });
  const one = fixture;
  const { "align-request": _asked, ...others } = agreeable;
  one.answers = others;
  await one.start();
  await one.until(merged("agent-1"));
  await one.engine.answer({
    ...(await one.card("align-request")),
    decision: { kind: "answer", text: "Yes." },
  });
  await one.until((_, inbox) =>
    inbox.some((item) => item.kind === "align-request" && item.question === "And now?"),
  );
  const before = one.engine.state().run as RunView;
  const [first, second] = [worker(before, "agent-1").changeId, worker(before, "agent-2").changeId];
  expect(await parentsOf(one, second)).toEqual([first]);

  const preview = await one.engine.previewUndo("agent-1");
  expect(preview).toMatchObject({ refusal: null, affected: [], moved: [{ changeId: second }] });
  await one.engine.undoWorker({ worker: "agent-1", afterwards: "wait" });
  expect(await parentsOf(one, second)).toEqual([before.base]);
  const files = (change: string | null) =>
    one.repo.terminal(["diff", "--ignore-working-copy", "--name-only", "-r", change ?? ""]);
  expect([await files(first), await files(second)]).toEqual(["", "src/two.txt"]);
  expect(worker(one.engine.state().run as RunView, "agent-1")).toMatchObject({ status: "open", held: true });

  await one.engine.resumeWorker("agent-1");
  await one.engine.answer({
    ...(await one.card("align-request")),
    decision: { kind: "answer", text: "Yes." },
  });
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", "src/one.txt")).toBe("one");
  expect(await show(one, "main", "src/two.txt")).toBe("two");
}, 300_000);
