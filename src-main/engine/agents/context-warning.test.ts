import { afterEach, expect, test } from "vitest";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { progressLines } from "../../cli/progress.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import { done, rewrite, threeAgents, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

test("an agent whose conversation fills 60 % of its window is reported once, and starts a fresh iteration with its last words", {
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
            prompt: "so this one begins fresh",
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
  const id = await one.start();
  const full = await one.until((view) =>
    view.workers.some((worker) => fullPercent(worker.contextTokens, worker.contextWindow) !== null),
  );
  expect(progressLines(null, full).join("\n")).toMatch(/agent-3 .*% of its context window is in use/u);
  const run = await one.until(({ workers }) =>
    workers.some(({ name, status }) => name === "agent-3" && status === "done"),
  );
  const agent = run.workers.find(({ name }) => name === "agent-3");
  expect(agent?.iteration).toBe(2);
  const asked = one.standIn.requests().filter(({ seen }) => seen.role === "agent-3");
  const fresh = asked.find(({ seen }) => seen.prompt.includes("so this one begins fresh"));
  expect(fresh?.seen.turns).toBe(0);
  expect(fresh?.seen.prompt).toMatch(/filled [67]\d % of the model's window/u);
  expect(fresh?.seen.prompt).toContain("The last thing that you said was: The index comes last.");
  // What it had written is there, and it is told of it.
  expect(fresh?.seen.prompt).toContain("src/view.txt");
  expect(await one.repo.terminal(["file", "show", "-r", agent?.changeId ?? "", "src/view.txt"])).toBe(
    long.trim(),
  );
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices.filter((text) => text.includes("agent-3"))).toEqual([
    expect.stringMatching(/^The conversation of agent-3 fills \d+ % /u),
  ]);
  const rows = await one.engine.execute("run.conversation", { run: id, worker: "agent-3" });
  expect(
    rows.filter((row) => row.kind === "notice" && row.text.includes("% of the context window")),
  ).toHaveLength(1);
});
