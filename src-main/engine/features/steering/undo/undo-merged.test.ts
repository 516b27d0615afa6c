import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import {
  call,
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

test("merged work is undone below a sibling that took it in, which continues without it", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
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
  await one.execute("inbox.answer", {
    ...(await one.card("align-request")),
    decision: { kind: "answer", text: "Yes." },
  });
  await one.until((_, inbox) =>
    inbox.some((item) => item.kind === "align-request" && item.question === "And now?"),
  );
  const before = one.engine.state().run as RunView;
  const [first, second] = [worker(before, "agent-1").changeId, worker(before, "agent-2").changeId];
  expect(await parentsOf(one, second)).toEqual([first]);

  const preview = await one.execute("run.previewUndo", { worker: "agent-1" });
  expect(preview).toMatchObject({ refusal: null, affected: [], moved: [{ changeId: second }] });
  await one.execute("run.undoWorker", { worker: "agent-1", afterwards: "wait" });
  expect(await parentsOf(one, second)).toEqual([before.base]);
  const files = (change: string | null) =>
    one.repo.terminal(["diff", "--ignore-working-copy", "--name-only", "-r", change ?? ""]);
  expect([await files(first), await files(second)]).toEqual(["", "src/two.txt"]);
  expect(worker(one.engine.state().run as RunView, "agent-1")).toMatchObject({ status: "open", held: true });

  await one.execute("run.resumeWorker", { worker: "agent-1" });
  await one.execute("inbox.answer", {
    ...(await one.card("align-request")),
    decision: { kind: "answer", text: "Yes." },
  });
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", "src/one.txt")).toBe("one");
  expect(await show(one, "main", "src/two.txt")).toBe("two");
});
