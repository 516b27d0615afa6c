import { expect, test } from "vitest";
import { eventually } from "../../../../testing/kit.ts";
import { bent, jjBroken } from "../../../testing/breaking.ts";
import { quickScript } from "../../../testing/quick-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { exampleFiles } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const goal = "Write the store";
const hooks = `
[[hooks]]
name = "stamp"
on = "iteration"
command = "echo $HOX_EVENT $HOX_ITERATION $HOX_CHANGE_ID > src/$HOX_WORKER.stamp"

[[hooks]]
name = "broken"
on = "iteration"
command = "echo no such formatter; exit 3"

[[hooks]]
name = "close"
on = "task-done"
command = "echo done in phase $HOX_PHASE, $HOX_PRIORITY, for $HOX_ORCHESTRATOR >> src/$HOX_WORKER.stamp; echo planted > .envrc"

[[hooks]]
name = "announce"
on = "task-merged"
command = "tail -n 1 src/$HOX_WORKER.stamp; echo merged $HOX_CHANGE_ID"

[[hooks]]
name = "tell"
on = "run-complete"
command = "cat src/store.txt; echo of $HOX_RUN"
`;

test("a user's hooks follow the work in order, their changes are saved, and a failing one stops nothing", async () => {
  let held = false;
  fixture = await createFixture({
    workflow: "auto",
    script: quickScript(goal),
    // At the end nobody gets a folder to run hooks in, as if the host had ended there.
    around: (repository) =>
      bent(repository, (name) => (name === "addWorkspace" && held ? Promise.reject(jjBroken()) : undefined)),
    files: { ...exampleFiles, ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}${hooks}` },
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    land: () => {
      held = true;
      return { kind: "approve", bookmark: "main" };
    },
  };
  const id = await one.start({ goal, quick: true });
  const run = await one.until(over);
  expect(run.stage).toBe("complete");

  const agent = run.workers.find((worker) => worker.name === "agent-1");
  const stamp = await one.repo.terminal(["file", "show", "-r", "main", "src/agent-1.stamp"]);
  expect(stamp).toBe(`iteration ${agent?.iteration} ${agent?.changeId}\ndone in phase 1, medium, for O-A-1`);

  const rows = (await one.execute("run.conversation", { run: id, worker: "agent-1" })).filter(
    (row) => row.kind === "hooks",
  );
  const merged = `done in phase 1, medium, for O-A-1\nmerged ${agent?.changeId}`;
  expect(rows.at(-1)?.results).toMatchObject([
    { name: "announce", on: "task-merged", success: true, message: merged },
  ]);
  const last = rows.at(-2)?.results ?? [];
  expect(last).toMatchObject([
    { name: "stamp", on: "iteration", success: true },
    {
      name: "broken",
      on: "iteration",
      success: false,
      message: "It ended with exit code 3.\nno such formatter",
    },
    // Held like an agent's own commands.
    { name: "close", on: "task-done", success: false, message: expect.stringContaining("restored: .envrc") },
  ]);
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices.filter((text) => text.includes('"broken" failed for agent-1'))).toHaveLength(1);

  // After the last word of the run, in a folder with exactly its result; what did not come to that comes with the next
  // start, and not again with the one after it.
  await eventually(() =>
    expect(one.events).toContainEqual(expect.objectContaining({ text: "jj is broken" })),
  );
  held = false;
  await one.reopen();
  const tells = async () =>
    (await one.execute("run.conversation", { run: id, worker: "hox" })).filter((row) => row.kind === "hooks");
  await eventually(async () => expect(await tells()).toHaveLength(1));
  await one.reopen();
  expect(await tells()).toMatchObject([
    { results: [{ name: "tell", on: "run-complete", success: true, message: `${goal}\nof ${id}` }] },
  ]);
  // The judged commit is hidden by then: its figures were written into the change. Nothing of it comes back.
  expect(await one.repo.repository.query("divergent()")).toEqual([]);
  expect(await one.repo.repository.query('root()+ & description(exact:"")')).toEqual([]);
});
