import { expect, test } from "vitest";
import { eventually } from "../../testing/kit.ts";
import { call } from "../testing/merge-request-script.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import { done } from "../testing/three-agents-script.ts";
import { answer, twoLevelFiles, twoLevels } from "../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

test("a parent that reviews a part is told which of its tasks' work is missing from it", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const drops = [call("run_command", { command: "rm src/*/routes.txt" }), done("All is together.")];
  fixture = await createFixture({
    script: {
      ...twoLevels,
      routes: { ...twoLevels.routes, "integrator-b-1": [{ name: "drops", steps: drops }] },
    },
    files: twoLevelFiles,
  });
  const one = fixture;
  one.answers = { ...one.answers, "align-request": () => ({ kind: "answer", text: answer }) };
  await one.start();
  const reviewed = () =>
    one.standIn
      .requests()
      .find(({ seen }) =>
        /^\[EVENT merge request ready\][\s\S]*Its title: Build the server/u.test(seen.prompt),
      );
  await eventually(async () => expect(reviewed()).toBeDefined());
  expect(reviewed()?.seen.prompt).toMatch(
    /## Missing work\n+Hox compared [^\n]+\n+- agent-\d "Write the routes": 1 of 1 line missing; missing lines: src\/server\/routes\.txt \(1 of 1\); removed by integrator-b-1\n/u,
  );
  await one.execute("run.stop");
});
