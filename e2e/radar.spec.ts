import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

test("the canvas, the inspector and the agents say what was done about a forecast conflict", {
  tag: "@long",
}, async ({ start, scene, accessible }) => {
  const { app } = await start();
  const { page } = app;
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  await app.inbox.waitFor("align-request");
  const bracket = page.locator("[data-radar]").first();
  await expect(bracket).toContainText("would conflict in", { timeout: 120_000 });
  await expect(bracket, "both agents and their orchestrator know").toContainText("both continue", {
    timeout: 120_000,
  });
  await scene("36a-forecast-on-the-canvas-light");
  await accessible("a forecast conflict on the canvas");
  await app.inspector.open();
  await bracket.click();
  await expect(page.locator("[data-radar-order]").first()).toContainText("both continue");
  await scene("36b-forecast-in-the-inspector-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 1024, height: 700 });
  await scene("36b-forecast-in-the-inspector-dark-small");
});
