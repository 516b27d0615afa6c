import { expect, test } from "vitest";
import { call, scriptOf, worker } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const blocked = (why: string) => call("report_done", { summary: "Not yet.", blocked: why });

test("a blocked agent is helped by its parent, then by the next parent, and then by the user", async () => {
  fixture = await createFixture({
    script: scriptOf(
      {
        "agent-1": [
          { name: "retried", prompt: "Iteration 4.", steps: [write("src/one.txt", "one\n"), done("One.")] },
          {
            name: "told by the user",
            prompt: /## Messages[\s\S]*Blue\./,
            steps: [blocked("Still nothing.")],
          },
          {
            name: "told by its parent",
            prompt: /## Messages[\s\S]*Call it one\./,
            steps: [blocked("No colour.")],
          },
          {
            name: "begins",
            steps: [call("note", { text: "The readme is odd." }), blocked("No name.")],
          },
        ],
      },
      [
        {
          name: "knows",
          prompt: /^\[EVENT child blocked\][\s\S]*No name\./,
          steps: [call("message_agent", { text: "Call it one." })],
        },
        {
          name: "asks",
          prompt: /^\[EVENT child blocked\][\s\S]*No colour\./,
          steps: [call("ask_user", { question: "Which colour?" })],
        },
      ],
    ),
  });
  const one = fixture;
  one.answers = { plan: agreeable.plan ?? (() => null), trouble: () => null };
  await one.start();
  const question = await one.card("align-request");
  expect(question).toMatchObject({ from: "O-A-1", question: "Which colour?" });
  await one.until((run) => worker(run, "agent-1").activity === "waiting for O-A-1: blocked");
  // What it told in passing came beside the next event, and with no other.
  const prompts = one.standIn
    .requests()
    .flatMap(({ seen }) =>
      seen.prompt.includes("- agent-1 notes: The readme is odd.") ? [seen.prompt] : [],
    );
  expect(new Set(prompts.map((words) => /Why\n\n> (.+)\n/u.exec(words)?.[1]))).toEqual(new Set(["No name."]));
  // It waits for the same answer after a restart.
  await one.reopen();
  const asked = one.standIn.requests().length;
  await one.execute("inbox.answer", {
    ...(await one.card("align-request")),
    decision: { kind: "answer", text: "Blue." },
  });
  const card = await one.card("trouble");
  expect(card).toMatchObject({ worker: "agent-1", title: "agent-1 is blocked", detail: "Still nothing." });
  expect(
    one.standIn
      .requests()
      .slice(asked)
      .map(({ seen }) => seen.role),
  ).toEqual(["agent-1"]);
  await one.execute("run.retryWorker", { worker: "agent-1" });
  await one.until((run) => ["review", "done"].includes(worker(run, "agent-1").status));
  expect(one.standIn.unmatched()).toEqual([]);
}, 300_000);
