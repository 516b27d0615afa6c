import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const config = [
  "[backpressure]",
  'fast_checks = ["true"]',
  "slow_checks = []",
  'preflight = "off"',
  "",
  "[run]",
  "quick = true",
  "",
  "[budget]",
  "max_usd = 0.001",
  "",
  "[loop_defaults]",
  "max_iterations = 1",
  "",
].join("\n");

test("an agent without progress and a used-up budget each ask on an accessible card", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({
    script: {
      name: "no end",
      routes: {
        "agent-1": [
          { name: "works", steps: Array.from({ length: 4 }, () => ({ say: "I read what is there." })) },
        ],
      },
    },
    pace: 0,
  });
  playground.answeredBy(standIn);
  try {
    const root = await playground.configuredRepository("project", config);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    await page.getByLabel("Goal").fill("Write the store");
    await page.keyboard.press("Control+Enter");

    const trouble = await inbox.waitFor("trouble");
    await expect(trouble).toContainText("agent-1 did not finish in 1 iteration");
    await scene("173-trouble");
    await accessible("an agent's trouble");
    await trouble.getByRole("button", { name: /^Retry/u }).click();

    // What it costs to go on is asked for before anything more is sent.
    const budget = await inbox.waitFor("budget");
    await expect(budget).toContainText("The budget is used up");
    await scene("174-budget-used-up");
    await accessible("a budget that is used up");
  } finally {
    await standIn.close();
  }
});
