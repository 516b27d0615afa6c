import { join } from "node:path";
import { expect, test } from "vitest";
import type { ItemOf } from "#shared/contract/cards.ts";
import { readRunReport } from "../../../../replay/read-run-report.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { carelessIntegration, oldApi, undoneByOthers } from "../../../testing/careless-integration-script.ts";
import { config, merged } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("asks before a result lands that lacks the work of a task, even if landing is automatic", async () => {
  fixture = await createFixture({
    script: carelessIntegration(),
    workflow: "one-judge",
    files: config('[gates]\nland = "auto"\n'),
  });
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const first = (await one.card("land")) as ItemOf<"land">;
  const lost = { worker: "agent-2", title: "Task of agent-2", missing: 4, added: 4 };
  expect(first).toMatchObject({
    missing: [{ ...lost, tests: [{ path: "src/api.test.ts", name: "routes users" }] }],
    validation: { verdict: "approved", seats: [{ vote: "approve" }] },
    checks: [{ outcome: "passed" }],
  });
  const judged = one.standIn.requests().find(({ seen }) => seen.prompt.includes("[VALIDATE]"));
  expect(judged?.seen.prompt).toMatch(
    /## Missing from the result\n+Hox compared [^\n]+\n+- agent-2 "Task of agent-2": 1 test and 4 of 4 lines missing; missing tests: "routes users"/u,
  );
  const shown = one.engine.state().run;
  expect(shown).toMatchObject({ missing: [lost], score: { completeness: 0.5 } });
  await expect(
    one.execute("inbox.answer", { ...first, decision: { kind: "approve", bookmark: "main" } }),
  ).rejects.toBeInstanceOf(EngineRefusal);

  await one.execute("inbox.answer", {
    ...first,
    decision: { kind: "repair", words: "With its test." },
  });
  await one.until(
    (run, inbox) => over(run) || inbox.some(({ id, kind }) => kind === "land" && id !== first.id),
  );
  const second = (await one.card("land")) as ItemOf<"land">;
  expect(second.missing).toMatchObject([{ worker: "agent-2", missing: 2, added: 4 }]);
  const repaired = one.standIn.requests().find(({ seen }) => seen.prompt.includes("The user returned"));
  expect(repaired?.seen.prompt).toContain("The user: With its test.");
  expect(repaired?.seen.prompt).toContain('"routes users" in src/api.test.ts');

  const reason = "The test comes with the next run.";
  await one.execute("inbox.answer", {
    ...second,
    decision: { kind: "approve", bookmark: "main", without: reason },
  });
  expect(await one.until(over)).toMatchObject({ stage: "complete", landed: { without: reason } });
  const description = await one.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"]);
  expect(description).toContain(
    `Hox-Overruled: Lands without work of agent-2 (1 test and 2 of 4 lines missing): ${reason}`,
  );
});

test("names the task that removed another one's lines, to its reviewer and on the card, and the integrator that restored deleted ones", async () => {
  fixture = await createFixture({
    script: undoneByOthers(),
    workflow: "one-judge",
    files: { ...config(""), "src/old.ts": oldApi },
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    "align-request": async () => {
      await one.until(merged("agent-1"));
      return { kind: "answer", text: "Yes." };
    },
    land: () => null,
  };
  await one.start();
  const card = (await one.card("land")) as ItemOf<"land">;
  expect(card.missing).toMatchObject([
    {
      ...{ worker: "agent-1", missing: 2, added: 2, restored: 2, deleted: 2 },
      ...{ removedBy: ["agent-2"], restoredBy: ["integrator"] },
    },
  ]);
  const reviewed = one.standIn
    .requests()
    .find(({ seen }) => /^\[EVENT merge request ready\][\s\S]*agent-2 reports/u.test(seen.prompt));
  expect(reviewed?.seen.prompt).toMatch(
    /## Missing work\n+Hox compared [^\n]+\n+- agent-1 "Task of agent-1": 2 of 2 lines missing; missing lines: src\/api\.ts \(2 of 2\); removed by agent-2\n/u,
  );

  const decision = { kind: "approve", bookmark: "main", without: "The store replaces both." } as const;
  await one.execute("inbox.answer", { ...card, decision });
  expect(await one.until(over)).toMatchObject({ stage: "complete" });
  const { report, markdown } = await readRunReport(
    one.repo.repository,
    join(one.repo.folder, "state"),
    "last",
  );
  const line =
    'agent-1 "Task of agent-1": 2 of 2 lines missing, 2 of 2 deleted lines restored; missing lines: src/api.ts (2 of 2); restored lines: src/old.ts (2 of 2); removed by agent-2, restored by integrator';
  expect(report).toMatchObject({ missing: [line], landed: { without: decision.without } });
  expect(markdown).toContain(`## Missing from the result\n\n- \`${line}\`\n\nLanded without it by the user`);
});
