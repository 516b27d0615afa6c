import { afterEach, expect, test } from "vitest";
import { createFixture, type Fixture, over } from "./testing/run-fixture.ts";
import { exampleFiles } from "./testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

test("a run goes from a plan to a landed result: question, decision, conflict, votes, pattern", async () => {
  const config = ".hox/config.toml";
  // As it is where nobody says anything else.
  const dropped = `${exampleFiles[config]}[landing]\ntrailers = "drop"\n`;
  fixture = await createFixture({ files: { ...exampleFiles, [config]: dropped } });
  const { repo, standIn } = fixture;
  const seen = { mutationConflict: false, repaired: false };
  fixture.engine.listen((event) => {
    if (event.kind !== "run") return;
    for (const worker of event.run.workers) if (worker.conflict === "mutation") seen.mutationConflict = true;
  });
  // The answer comes when the store has already written what the decision will contradict.
  fixture.answers = {
    ...fixture.answers,
    "align-request": async () => {
      await fixture?.until((run) =>
        run.workers.some((one) => one.name === "agent-1" && one.status === "done"),
      );
      return { kind: "answer", text: "user_id, please" };
    },
  };
  await fixture.start();
  const run = await fixture.until(over);
  expect(run.failure).toBeNull();
  expect(run.stage).toBe("complete");
  expect(run.landed?.bookmark).toBe("main");
  expect(seen.mutationConflict).toBe(true);
  expect(run.validation?.verdict).toBe("approved");
  expect(run.validation?.seats.map((seat) => seat.vote)).toEqual(["approve", "approve", "reject", "approve"]);

  const landed = (path: string) => repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("src/contract.txt")).toBe("id: user_id # kept by the store\nname: text");
  expect(await landed("src/index.txt")).toBe("the store\nthe view");
  expect(await landed("src/api.txt")).toContain("user_id");
  expect(await repo.terminal(["log", "--no-graph", "-r", "conflicts()", "-T", "change_id"])).toBe("");
  expect(await repo.terminal(["log", "--no-graph", "-r", "divergent()", "-T", "change_id"])).toBe("");
  expect(await repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"])).toBe(
    "Bring it together\n\nNo conflicts, all checks pass.\n\nCo-authored-by: integrator (claude-sonnet-5-5) <integrator@hox.invalid>",
  );
  // Agents' branches and messages go with the run, and its record keeps what was said.
  expect(await fixture.engine.execute("run.leftovers")).toMatchObject({
    branches: [],
    messages: 0,
    work: [],
  });
  const bookmarks = await repo.terminal(["bookmark", "list", "-T", 'name ++ " "']);
  expect(bookmarks.trim()).toBe("hox-patterns main");
  expect(fixture.engine.state().messages.length).toBeGreaterThan(0);
  expect(await repo.terminal(["file", "list", "-r", "hox-patterns"])).toContain("ask-before-naming.md");
  expect(await repo.terminal(["workspace", "list"])).not.toContain("agent-");
  // jj itself held the contradiction: it stood in the card's forecast and in the run's figures.
  expect(run.metrics.find((one) => one.worker === "agent-1")?.conflictsMet).toBe(1);
  expect(standIn.unusedSteps()).toEqual([]);
  expect(run.budget.spent.requests).toBe(standIn.requests().length);
}, 300_000);
