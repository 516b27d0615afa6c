import { expect, test } from "vitest";
import {
  aboutMergeRequest,
  call,
  config,
  merged,
  scriptOf,
  show,
  worker,
  works,
} from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, rewrite, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("work that passes only with untracked files is sent back from a fresh checkout", async () => {
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
  const { mergeRequest, status } = worker(run, "agent-1");
  expect(mergeRequest?.reviews.map(({ round, by, verdict }) => [round, by, verdict])).toEqual([
    [1, "checks", "changes"],
    [2, "parent", "approved"],
  ]);
  expect([mergeRequest?.round, mergeRequest?.state, status]).toEqual([
    2,
    { stage: "merged", place: "trunk" },
    "done",
  ]);
  expect(await one.repo.terminal(["workspace", "list"])).not.toContain("checkout-");
  expect(one.standIn.unmatched()).toEqual([]);
}, 300_000);

test("a parent's request is in every prompt until it is done, and survives a restart", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
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
          prompt: (seen) => aboutMergeRequest("agent-1", 1)(seen) && seen.prompt.includes("+one"),
          steps: [call("request_changes", { reason: "Say two, not one." })],
        },
        {
          name: "accepts",
          prompt: (seen) =>
            aboutMergeRequest("agent-1", 2)(seen) &&
            seen.prompt.includes("+two") &&
            seen.prompt.includes("Round 1, parent: changes: Say two, not one."),
          steps: [call("approve_merge_request", { comment: "Two it is." })],
        },
      ],
    ),
    pace: 3,
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.workers.some((w) => w.mergeRequest?.state.stage === "changes-requested"));
  await one.reopen();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1").mergeRequest?.reviews.at(-1)).toEqual({
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
});

test("an orchestrator may decide before it judges, and answers the user meanwhile", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    script: scriptOf({ "agent-1": works(write("src/one.txt", "one\n"), done("One.")) }, [
      {
        name: "judges",
        prompt: /^\[EVENT merge request ready\]\n\n"Names are short" now applies to all tasks\./,
        steps: [call("approve_merge_request", {})],
      },
      {
        name: "decides first",
        prompt: /^\[EVENT merge request ready\]/,
        steps: [
          call("propose_mutation", {
            title: "Names are short",
            reason: "The work shows it.",
            edits: [{ path: "src/contract.txt", old_text: "name: text", new_text: "name: 20 letters" }],
          }),
        ],
      },
      {
        name: "answers the user",
        prompt: /^\[EVENT user message\]\n\nThe user writes to O-A-1\.[\s\S]*Tell them to hurry\./,
        steps: [call("inform", { to: "O-A-1/*", text: "Hurry." }), done("I told agent-1.")],
      },
    ]),
  });
  const one = fixture;
  const { mutation: _, ...others } = agreeable;
  one.answers = others;
  await one.start();
  const card = await one.card("mutation");
  await one.execute("run.messageWorker", { worker: "O-A-1", text: "Tell them to hurry." });
  const words = () =>
    one.engine.state().messages.map(({ from, to, text, handled }) => [from, to, text, handled].join(" | "));
  await one.until(() => words().includes("user | O-A-1 | Tell them to hurry. | true"));
  expect(words()).toEqual(
    expect.arrayContaining(["O-A-1 | O-A-1/* | Hurry. | false", "O-A-1 | user | I told agent-1. | true"]),
  );
  expect(one.events).toContainEqual(
    expect.objectContaining({ kind: "notice", text: "O-A-1 answers you: I told agent-1." }),
  );
  await one.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
  const run = await one.until(merged("agent-1"));
  expect(run.decisions).toMatchObject([{ orchestrator: "O-A-1", title: "Names are short" }]);
  expect(worker(run, "agent-1").mergeRequest?.reviews).toMatchObject([{ by: "parent", verdict: "approved" }]);
  expect(one.standIn.unmatched()).toEqual([]);
});

test("after too many rounds the user decides: once more, then as it is", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    files: config("[merge_requests]\nmax_rounds = 1\n"),
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
          {
            name: "begins",
            steps: [
              write("src/one.txt", "prose\n"),
              ...rewrite("src/contract.txt", "id: userId\nname: prose\n"),
              done("Prose."),
            ],
          },
        ],
      },
      [
        {
          name: "never content",
          prompt: /^\[EVENT merge request ready\]/,
          steps: [call("request_changes", { reason: "Not like this." })],
        },
      ],
    ),
  });
  const one = fixture;
  one.answers = { ...agreeable };
  await one.start();
  const card = await one.card("merge-request");
  expect(card).toMatchObject({ kind: "merge-request", from: "agent-1", round: 1, why: "too-many-rounds" });
  expect(card.kind === "merge-request" && card.diff).toContain("+prose");
  // What it took on itself beside its task was told to its orchestrator, and is to the user.
  expect(card).toMatchObject({ beyond: [{ path: "src/contract.txt", of: "contract" }] });
  const offered = one.standIn.requests().find(({ seen }) => aboutMergeRequest("agent-1", 1)(seen));
  expect(offered?.seen.prompt).toMatch(
    /^## Files beyond the task\n\n- src\/contract\.txt: a contract that others rely on$/mu,
  );
  await one.reopen();
  expect(await one.card("merge-request")).toEqual(card);
  await one.execute("inbox.answer", { ...card, decision: { kind: "reject", reason: "Try a poem." } });
  await one.until((_, inbox) => inbox.some((item) => item.kind === "merge-request" && item.round === 2));
  const again = await one.card("merge-request");
  await one.execute("inbox.answer", { ...again, decision: { kind: "approve" } });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", "src/one.txt")).toBe("a poem");
  expect(one.standIn.unmatched()).toEqual([]);
});

test("a reviewing user may give a task up; the run continues without it", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    files: config('[merge_requests]\nreview = "user"\n'),
    script: scriptOf({
      "agent-1": works(write("src/one.txt", "one\n"), done("One.")),
      "agent-2": works(write("src/two.txt", "two\n"), done("Two.")),
    }),
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    "merge-request": (item) =>
      item.kind === "merge-request" && item.from === "agent-1" ? { kind: "abandon" } : { kind: "approve" },
  };
  await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1")).toMatchObject({
    status: "abandoned",
    mergeRequest: { state: { stage: "withdrawn" } },
  });
  // Given up is given up: no plan names it any more, whichever card it was said on.
  expect(run.plan?.tasks.map(({ id }) => id)).not.toContain(worker(run, "agent-1")?.task);
  const files = await one.repo.terminal(["file", "list", "--ignore-working-copy", "-r", "main"]);
  expect(files).toContain("src/two.txt");
  expect(files).not.toContain("src/one.txt");
  // Its parent, which nobody asked, hears of it with its next event.
  const learn = one.standIn.requests().find(({ seen }) => seen.prompt.startsWith("[EVENT learn]"));
  expect(learn?.seen.prompt).toContain(
    "- The user approves the work of agent-2\n- agent-2 is done, and its work is merged (Task of agent-2): Two.\n",
  );
});

test("a merge request resumes at any stage after a restart, without repeated reviews or checks", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
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
          prompt: aboutMergeRequest("agent-1", 1),
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
      each.workers.some(
        (w) => w.name === "agent-1" && ["merged", stage].includes(w.mergeRequest?.state.stage ?? ""),
      ),
    );
    seen.push(worker(run, "agent-1").mergeRequest?.state.stage ?? "");
    await one.reopen();
  }
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(seen.slice(0, 3)).toEqual(["checking", "review", "changes-requested"]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1").mergeRequest).toMatchObject({
    round: 2,
    state: { stage: "merged", place: "trunk" },
    reviews: [
      { round: 1, by: "parent", verdict: "changes" },
      { round: 2, by: "parent", verdict: "approved" },
    ],
  });
  expect(await show(one, "main", "src/one.txt")).toBe("two");
});
