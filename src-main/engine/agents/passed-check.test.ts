import { afterEach, expect, test } from "vitest";
import { defineScript } from "../../model/stand-in/script.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const command = (text: string) => ({ calls: [{ tool: "run_command", input: { command: text } }] });

test("an agent reads the end of a check that passes, and all of one that fails or of any other command", async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: {
      "check.sh": 'seq 1 2000; test "$(cat src/a.txt)" = a && echo "2000 passed"\n',
      "src/a.txt": "b\n",
      ".hox/config.toml":
        '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n',
    },
    script: defineScript({
      name: "quick",
      routes: {
        "agent-1": [
          {
            name: "works",
            steps: [
              { calls: [{ tool: "read_file", input: { path: "src/a.txt" } }] },
              command("sh check.sh"),
              write("src/a.txt", "a\n"),
              command("sh check.sh"),
              command("sh ./check.sh"),
              done("Done."),
            ],
          },
        ],
      },
    }),
  });
  fixture.answers = { land: () => ({ kind: "approve", bookmark: "main" }) };
  await fixture.start({ goal: "Write a", quick: true });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete" });
  const history = fixture.standIn.requests().at(-1)?.seen.history ?? [];
  const [failed = "", passed = "", other = ""] = history.flatMap(({ tool, output }) =>
    tool === "run_command" ? [output] : [],
  );
  const all = /^1\n2\n[\s\S]*\n2000/mu;
  expect(failed).toMatch(all);
  expect(passed).toMatch(/^Exit code 0 [^\n]*\n… the check passed: \d+ characters [^\n]* …\n18\d\d\n/u);
  expect(passed).toMatch(/\n2000\n2000 passed$/u);
  expect(other).toMatch(all);
});
