import { expect, test } from "vitest";
import { changesNamed, onView } from "./testing/read-run.ts";
import { createFixture, type Fixture, over } from "./testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("a run goes from a plan to a landed result: question, decision, conflict, votes, pattern", async () => {
  fixture = await createFixture();
  const { repo, standIn } = fixture;
  const seen = { mutationConflict: false, repaired: false };
  onView(fixture.engine, ({ workers }) => {
    for (const worker of workers) if (worker.conflict === "mutation") seen.mutationConflict = true;
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
  // Where the agents have joined their lines themselves, the integrator has nothing to land, and the last task is the tip.
  expect(await repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"])).toMatch(
    /^(?:Bring it together\n\nNo conflicts, all checks pass\.|Write the (store|api|view)\n\nWrite src\/\1\.txt after the contract\.)\n\nCo-authored-by: (agent-\d|integrator) \(claude-sonnet-5-5\) <\2@hox\.invalid>$/u,
  );
  // What is no longer in the messages is in their notes, and is found all the same.
  const named = async (revset: string) =>
    (await changesNamed({ repo }, `::main & ${revset}`)).map(({ description }) => description.split("\n")[0]);
  expect(await repo.terminal(["log", "--no-graph", "-r", "::main", "-T", "description"])).not.toContain(
    "Hox-",
  );
  expect(await named("agent(agent-1) & kind(task) & status(done)")).toEqual(["Write the store"]);
  expect(await named("msg_type(mutation) & kind(mutation)")).toEqual(["The id is called user_id"]);
  expect((await named("orchestrator(O-A-1) & metrics() & score()")).length).toBeGreaterThan(2);
  expect(await named("kind(integration)")).toHaveLength(1);
  expect(await fixture.execute("report.compareStores", { runs: 1 })).toMatchObject({
    differences: [],
    asConfigured: 0,
  });
  // Who builds on the contracts reads in their commit what was decided.
  expect(
    await repo.terminal(["log", "--no-graph", "-r", '::main & subject("Contracts:*")', "-T", "description"]),
  ).toContain("Decision record\n- Decided: The contract stands.\n- Serves: A store, an API and a view");
  // A model chooses among its tools by what each says of when to use it. (HYLO-1)
  for (const { body } of standIn.requests())
    for (const { name, description } of (body as { tools: readonly { name: string; description: string }[] })
      .tools)
      expect(description, name).toMatch(/\buse it\b/iu);
  // Agents' branches and messages go with the run, and its record keeps what was said.
  expect(await fixture.execute("run.leftovers")).toMatchObject({
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
