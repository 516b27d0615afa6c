import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { twoLevelFiles, twoLevels } from "../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

test("a delegated task abandoned in a terminal ends its part, and no other", {
  tags: ["long"],
  timeout: 660_000,
}, async () => {
  fixture = await createFixture({ script: twoLevels, files: twoLevelFiles });
  const one = fixture;
  const { "align-request": _, ...others } = one.answers;
  one.answers = others;
  await one.start();
  await one.card("align-request");
  const part = one.engine.state().run?.orchestrators.find(({ name }) => name === "O-B-1");
  await one.repo.terminal(["abandon", "-r", part?.integration ?? ""]);

  const run = await one.until(over, 600_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  // What its agent had asked needs no answer any more.
  expect(one.engine.state().inbox).toEqual([]);
  // Neither who brings the tasks together nor who judges the result looks for what nobody did.
  const promptsTo = (role: string) =>
    one.standIn.requests().find(({ seen }) => seen.role === role && seen.turn === 0)?.seen.prompt ?? "";
  expect(promptsTo("integrator")).toContain("- Build the client (O-B-2): ");
  expect(promptsTo("integrator")).not.toContain("Build the server");
  expect(promptsTo("validator-1")).toMatch(
    /^Tasks:\n- Build the client: .*\nAbandoned, .*:\n- Build the server$/mu,
  );
  const of = (parent: string) =>
    run.workers.filter((worker) => worker.parent === parent && worker.role === "agent");
  expect(of("O-B-1").map(({ status }) => status)).toEqual(["abandoned", "abandoned"]);
  expect(of("O-B-2").map(({ status }) => status)).toEqual(["done", "done"]);
  const landed = (await one.repo.terminal(["file", "list", "-r", "main"])).split("\n");
  expect(landed).toContain("src/client/page.txt");
  expect(landed.filter((path) => path.startsWith("src/server/"))).toEqual([]);
});
