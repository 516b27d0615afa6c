import { expect, test } from "vitest";
import { progressLines } from "../../cli/run/progress.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import { done, rewrite, threeAgents, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("an agent at 60 % of its window starts a fresh iteration that reads its last summary", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const long = `shows users\n${"a line of the view\n".repeat(2_200)}`;
  fixture = await createFixture({
    contextWindow: 20_000,
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "agent-3": [
          {
            name: "goes on",
            prompt: "so this one starts empty",
            steps: [...rewrite("src/index.txt", "the view\n"), done("It is long.")],
          },
          {
            name: "writes a lot",
            steps: [
              { ...write("src/view.txt", long), say: "The index comes last." },
              { calls: [{ tool: "list_files", input: {} }] },
              { say: "This was never asked for." },
            ],
          },
        ],
      },
    },
  });
  const one = fixture;
  await one.start();
  const run = await one.until(({ workers }) =>
    workers.some(({ name, status }) => name === "agent-3" && status === "done"),
  );
  const agent = run.workers.find(({ name }) => name === "agent-3");
  expect(agent?.iteration).toBeGreaterThanOrEqual(2);
  const asked = one.standIn.requests().filter(({ seen }) => seen.role === "agent-3");
  const fresh = asked.find(({ seen }) => seen.prompt.includes("so this one starts empty"));
  expect(fresh?.seen.turns).toBe(0);
  expect(fresh?.seen.prompt).toMatch(/filled [67]\d % of the model's window/u);
  expect(fresh?.seen.prompt).toContain("Your last message was: The index comes last.");
  // What it had written is there, and it is told of it.
  expect(fresh?.seen.prompt).toContain("src/view.txt");
  expect(await one.repo.terminal(["file", "show", "-r", agent?.changeId ?? "", "src/view.txt"])).toBe(
    long.trim(),
  );
  const filled = run.workers.map((worker) =>
    worker.name === "agent-3" ? { ...worker, contextTokens: 13_000 } : worker,
  );
  expect(progressLines(null, { ...run, workers: filled }).join("\n")).toMatch(
    /agent-3 +65 % of the context window used/u,
  );
});
