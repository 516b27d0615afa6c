import { expect, test } from "vitest";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { plan, threeAgentsPlanned } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("a plan is edited by the user; one without integration is always refused", async () => {
  let proposals = 0;
  fixture = await createFixture({
    script: threeAgentsPlanned((seen) => {
      proposals += 1;
      const again = seen.prompt.includes("has no integration phase");
      return {
        calls: [{ tool: "propose_plan", input: { ...plan, integration: again ? plan.integration : null } }],
      };
    }),
  });
  const one = fixture;
  one.answers = { ...agreeable, plan: () => null };
  await one.start();
  const card = await one.card("plan");
  expect(proposals).toBe(2);
  if (card.kind !== "plan") throw new Error("not a plan");
  const broken = { ...card.plan, integration: null };
  await expect(
    one.execute("inbox.answer", { ...card, decision: { kind: "approve", plan: broken } }),
  ).rejects.toThrow(/integration/);
  expect(card.plan.budget, "the plan shows what would hold").toEqual({
    tokens: null,
    microDollars: 5_000_000,
  });
  const edited = { ...card.plan, tasks: card.plan.tasks.filter((task) => task.id !== "store") };
  await one.execute("inbox.answer", {
    ...card,
    decision: {
      kind: "approve",
      plan: {
        ...edited,
        budget: { tokens: 4_000_000, microDollars: 9_000_000 },
        tasks: [...edited.tasks].map((task) => ({ ...task, priority: "critical" as const })),
      },
    },
  });
  const run = await one.until((now) => now.stage === "executing");
  expect(run.plan?.tasks.map((task) => task.id)).toEqual(["api", "view"]);
  expect(run.budget).toMatchObject({ limitTokens: 4_000_000, limitMicroDollars: 9_000_000 });
  expect(run.workers.filter((w) => w.role === "agent").map((w) => w.priority)).toEqual([
    "critical",
    "critical",
  ]);
}, 300_000);
