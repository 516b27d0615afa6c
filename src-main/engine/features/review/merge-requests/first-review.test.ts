import { expect, test } from "vitest";
import { call, config, scriptOf, worker } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("a first reviewer comments once and only the agent answers; a failing reviewer stops nothing", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const atLine = { path: "src/one.txt", line: 1, text: "It is empty." };
  const lowered = { worker: "O-A-1", tokens: 1 };
  let lower: (() => unknown) | null = null;
  fixture = await createFixture({
    files: {
      ...config('[merge_requests]\nfirst_reviewer = "claude-haiku-5-5"\n'),
      "AGENTS.md": "Nothing is empty here.",
    },
    script: scriptOf({
      "agent-1": [
        {
          name: "answers",
          prompt: /A first reviewer read your work[\s\S]*It is empty\./,
          steps: [call("read_file", { path: "src/one.txt" }), write("src/one.txt", "full\n"), done("Full.")],
        },
        { name: "begins", steps: [write("src/one.txt", "\n"), done("Begun.")] },
      ],
      "agent-2": [{ name: "works", steps: [write("src/two.txt", "two\n"), done("Two.")] }],
      "reviewer-agent-2": [{ name: "refuses", steps: [{ say: "I do not read this.", stop: "refusal" }] }],
      "reviewer-*": [
        {
          name: "reads",
          prompt: /^\[REVIEW\][\s\S]*Nothing is empty here\./,
          steps: [
            () => {
              lower?.();
              return call("read_file", { path: "src/one.txt" });
            },
            // A line that is not there is refused with what to do; what it says then stands at its line.
            call("give_remarks", { verdict: "changes", remarks: "", lines: [{ ...atLine, line: 7 }] }),
            call("give_remarks", { verdict: "changes", remarks: "", lines: [atLine] }),
          ],
        },
      ],
    }),
  });
  const one = fixture;
  // While it reads, the budget above it comes to be spent: one card asks for more, and it goes on where it was.
  lower = () => one.execute("run.setWorkerLimits", lowered);
  const cards: string[] = [];
  one.answers = {
    ...agreeable,
    budget: (item) => {
      cards.push(item.kind === "budget" ? `${item.worker}: ${item.limitTokens}` : item.kind);
      return { kind: "extend", tokens: null, microDollars: null };
    },
  };
  await one.start();
  const run = await one.until(over);
  expect(cards).toEqual(["O-A-1: 1"]);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(worker(run, "agent-1").mergeRequest?.reviews).toEqual([
    {
      ...{ round: 1, by: "first", verdict: "changes", words: "- src/one.txt:1: It is empty." },
      lines: [{ ...atLine, lastLine: 1, lineText: "", commit: expect.stringMatching(/^[0-9a-f]{40}$/u) }],
    },
    { round: 2, by: "parent", verdict: "approved", words: "As asked." },
  ]);
  expect(worker(run, "agent-2").mergeRequest?.reviews).toMatchObject([
    { round: 1, by: "first", verdict: "passed-on" },
    { round: 1, by: "parent", verdict: "approved" },
  ]);
  expect(one.events).toContainEqual(
    expect.objectContaining({
      kind: "notice",
      text: expect.stringContaining("The work of agent-2 continues without a first review: "),
    }),
  );
  const read = one.standIn.requests().filter((request) => request.seen.role === "reviewer-agent-1");
  expect(read.map((request) => request.seen.model)).toEqual(Array(3).fill("claude-haiku-5-5"));
  expect(read.at(-1)?.seen.results.at(-1)).toMatchObject({
    isError: true,
    output: expect.stringContaining("src/one.txt has 1 line in the commit that you judge, and no line 7."),
  });
});
