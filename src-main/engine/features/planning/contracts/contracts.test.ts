import { expect, test } from "vitest";
import type { Scene } from "../../../../model/stand-in/script.ts";
import { scriptOf, works } from "../../../testing/merge-request-script.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, rewrite, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const writes = (name: string, when: string, ...steps: Scene["steps"]): Scene => ({
  name,
  prompt: (seen) => seen.prompt.startsWith("[EVENT contracts]") && seen.prompt.includes(when),
  steps: [...steps, done("The contract stands.")],
});

test("missing contracts, and contracts that break a check, go back to their author before others build on them", async () => {
  fixture = await createFixture({
    script: scriptOf({ "agent-1": works(write("src/one.txt", "one\n"), done("One.")) }, [
      writes("repairs it", "check.sh: failed", ...rewrite("src/contract.txt", "id: userId\n")),
      writes("breaks a check", "nothing was written there", write("src/contract.txt", "BROKEN\n")),
      writes("forgets it", "", write("src/notes.txt", "What the goal wants.\n")),
    ]),
  });
  const one = fixture;
  await one.start();
  const run = await one.until(({ workers }) =>
    workers.some(({ mergeRequest }) => mergeRequest !== null && mergeRequest.state.stage !== "open"),
  );
  const prompts = one.standIn
    .requests()
    .filter(({ seen }) => seen.turn === 0 && seen.prompt.startsWith("[EVENT contracts]"))
    .map(({ seen }) => seen.prompt);
  expect(prompts).toHaveLength(3);
  expect(prompts[1]).toContain("- src/contract.txt is named as a contract, and nothing was written there.");
  expect(prompts[2]).toContain("src/contract.txt:1:BROKEN");
  const { base } = run.orchestrators[0] ?? {};
  expect(await one.repo.terminal(["file", "show", "-r", base ?? "", "src/contract.txt"])).toBe("id: userId");
}, 300_000);
