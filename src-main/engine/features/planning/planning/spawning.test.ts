import { expect, test } from "vitest";
import { call, scriptOf, worker } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const wanted = (id: string) => ({
  id,
  title: `Write the ${id}`,
  description: `Write src/${id}.txt.`,
  priority: "medium",
  files: [`src/${id}.txt`],
});

test("an orchestrator adds tasks to its plan in progress, with the user's approval", async () => {
  const planned = scriptOf(
    {
      "agent-1": [
        { name: "goes on", prompt: "Go on.", steps: [write("src/one.txt", "one\n"), done("One.")] },
        {
          name: "begins",
          steps: [call("report_done", { summary: "Not yet.", blocked: "Nobody writes the docs." })],
        },
      ],
    },
    [
      {
        name: "writes what was added",
        // It goes on in the conversation in which it was added.
        prompt: (seen) =>
          seen.prompt.includes("From here on you are agent-2") &&
          seen.history.some(({ tool }) => tool === "spawn_workers"),
        steps: [write("src/docs.txt", "docs\n"), done("Docs.")],
      },
      {
        name: "tells the agent",
        prompt: /^\[EVENT child blocked\]\n\n## Added to your plan\n\n- docs: agent-2\n/,
        steps: [call("message_agent", { text: "Go on." })],
      },
      {
        name: "adds a task",
        prompt: /^\[EVENT child blocked\]/,
        steps: [
          call("spawn_workers", { tasks: [wanted("agent-1")], reason: "It is missing." }),
          call("spawn_workers", {
            tasks: [{ ...wanted("docs"), context: "inherit" }],
            reason: "Nobody writes the docs.",
          }),
        ],
      },
      {
        name: "tells the user",
        prompt:
          /^\[EVENT user message\]\n\nNothing was added to your plan\.\n\n## Why\n\n> Too much for this run\./,
        steps: [done("As you wish.")],
      },
      {
        name: "adds a part",
        prompt: /^\[EVENT user message\]/,
        steps: [call("spawn_subtree", { task: wanted("shop"), reason: "The user wants a shop." })],
      },
    ],
  );
  fixture = await createFixture({
    script: planned,
  });
  const one = fixture;
  one.answers = { plan: agreeable.plan ?? (() => null) };
  await one.start();
  const card = await one.card("amendment");
  expect(card).toMatchObject({
    from: "O-A-1",
    tasks: [{ id: "docs", phase: 1, after: [] }],
    reason: "Nobody writes the docs.",
    problems: [],
  });
  // What cannot stand in the plan was said at the call.
  const rows = await one.execute("run.conversation", {
    run: one.engine.state().run?.id ?? "",
    worker: "O-A-1",
  });
  expect(
    rows.flatMap((row) => (row.kind === "tool-result" && row.error !== null ? [row.output] : [])),
  ).toEqual([expect.stringContaining('The plan already has a task "agent-1".')]);
  await one.execute("run.messageWorker", { worker: "O-A-1", text: "I want a shop." });
  await one.until((_, inbox) => inbox.filter(({ kind }) => kind === "amendment").length === 2);
  const part = one.engine.state().inbox.find((item) => item.kind === "amendment" && item.id !== card.id);
  if (!part) throw new Error("No card for the part.");
  expect(part).toMatchObject({ tasks: [{ id: "shop", delegate: true }], reason: "The user wants a shop." });
  await one.execute("inbox.answer", {
    ...part,
    decision: { kind: "reject", reason: "Too much for this run." },
  });
  await one.until(() => one.engine.state().messages.some(({ text }) => text === "As you wish."));
  // It waits for the same yes after a restart.
  await one.reopen();
  await one.execute("inbox.answer", {
    ...(await one.card("amendment")),
    decision: { kind: "approve" },
  });
  await one.until((run) =>
    ["agent-1", "agent-2"].every(
      (name) =>
        run.workers.some((each) => each.name === name) &&
        worker(run, name).mergeRequest?.state.stage === "merged",
    ),
  );
  expect(one.engine.state().run?.plan?.tasks.map(({ id }) => id)).toEqual(["agent-1", "docs"]);
  expect(one.standIn.unmatched()).toEqual([]);
}, 300_000);
