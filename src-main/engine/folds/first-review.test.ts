import { afterEach, expect, test } from "vitest";
import { call, config, scriptOf, worker } from "../testing/fold-script.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

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
