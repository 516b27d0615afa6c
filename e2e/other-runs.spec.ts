import { otherRunsScript } from "../src-main/engine/testing/other-runs-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

const config = `[backpressure]
fast_checks = ["test -d src"]
slow_checks = []
preflight = "off"

[workflow]
learning = "off"
panel = "off"
`;

test("agents of two runs that would conflict are shown in both, and a decision of one run is put to the other", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({ script: otherRunsScript, models: ["claude-sonnet-5-5"], pace: 0 });
  playground.answeredBy(standIn);
  try {
    const root = await playground.configuredRepository("project", config);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    const begin = async (goal: string): Promise<void> => {
      await page.getByLabel("Goal").fill(goal);
      await page.keyboard.press("Control+Enter");
      await expect(app.dialog("Start a run")).toBeHidden();
    };
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    await begin("Write store");
    await (await inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u }).click();
    await page.getByRole("button", { name: "Start another run" }).click();
    await begin("Write view");
    await (await inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u }).click();

    const decision = await inbox.waitFor("mutation");
    const also = decision.getByLabel("Also ask for it in O-A-2: Write view");
    await expect(also).not.toBeChecked();
    const bracket = page.locator("[data-radar]").first();
    await expect(bracket).toContainText("agent-2 and O-A-1/agent-1 would conflict in src/shared.txt");
    await also.check();
    await scene("196-decision-for-both-runs-light");
    await accessible("a decision that can be put to another run");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("196-decision-for-both-runs-dark-small");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await decision.getByRole("button", { name: "Approve, and ask there" }).click();

    const further = inbox.card("mutation").filter({ hasText: "agent-2" });
    await expect(further).toBeVisible();
    await expect(further.getByLabel(/^Also ask/u)).toHaveCount(0);
    await app.inspector.open();
    await bracket.click();
    await page.getByRole("button", { name: "O-A-1/agent-1", exact: true }).click();
    await expect(page.getByRole("button", { name: /^Run O-A/u })).toHaveText("O-A-1 of 2");
    await expect(page.locator("[data-radar]").first()).toContainText(
      "agent-1 and O-A-2/agent-2 would conflict in src/shared.txt",
    );
    await expect(page.getByRole("heading", { name: "Write store" })).toBeVisible();
    await scene("197-forecast-across-runs-light");
  } finally {
    await standIn.close();
  }
});
