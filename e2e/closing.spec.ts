import { join } from "node:path";
import { TestHost } from "./host.ts";
import { expect, test } from "./test.ts";

for (const how of ["closed in order", "killed"] as const) {
  test(`the app is ${how} in the middle of a run and goes on where it was`, async ({
    start,
    playground,
    scene,
  }) => {
    const { app, host } = await start();
    await app.watchRehearsal();
    await app.inbox.approve("plan");
    await app.inbox.waitFor("align-request");

    if (how === "killed") await host.kill();
    else expect(await host.stop()).toBeLessThan(5_000);
    await expect(app.connectionLost).toBeVisible();
    await scene(`40-${how.replaceAll(" ", "-")}-connection-lost`);

    const root = join(playground.state, "rehearsals", "profiles-1");
    const again = await TestHost.start(playground, { folder: root });
    try {
      await app.goto(await again.address());
      const question = await app.inbox.waitFor("align-request");
      await scene(`41-${how.replaceAll(" ", "-")}-reopened`);
      await question.getByRole("button", { name: /user_id/u }).click();
      await app.inbox.approve("mutation");
      await app.inbox.approve("pattern");
      const land = await app.inbox.waitFor("land");
      await land.getByRole("button", { name: "Land on main" }).click();
      await expect(app.page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
      expect(
        await playground.jj(root, [
          "log",
          "--no-graph",
          "-r",
          "divergent() | (main & conflicts())",
          "-T",
          "change_id",
        ]),
      ).toBe("");
    } finally {
      await again.stop();
    }
  });
}

test("a reload of the page keeps the session and the state", async ({ start, playground }) => {
  const root = await playground.repository("project", ["kept"]);
  const { app } = await start({ folder: root });
  await expect(app.graph.row("kept")).toBeVisible();
  await app.page.reload();
  await expect(app.graph.row("kept")).toBeVisible();
});

test("a run is paused, resumed and stopped from the header", async ({ start }) => {
  const { app } = await start();
  await app.watchRehearsal();
  await app.inbox.waitFor("plan");
  await app.control("Pause").click();
  await expect(app.control("Resume")).toBeVisible();
  await app.control("Resume").click();
  await expect(app.control("Pause")).toBeVisible();
  await app.control("Stop").click();
  await app.page
    .getByRole("alertdialog")
    .or(app.page.getByRole("dialog"))
    .getByRole("button", { name: "Stop the run" })
    .click();
  await expect(app.page.getByRole("button", { name: "Start a run" })).toBeVisible();
});
