import { TestHost } from "./host.ts";
import { App } from "./pages/app.ts";
import { expect, test } from "./test.ts";

test("a second window takes a repository over, the first becomes read-only and can take over again", async ({
  start,
  playground,
  context,
}) => {
  const root = await playground.repository("project", ["shared by two"]);
  const { app: first } = await start({ folder: root });
  await expect(first.graph.row("shared by two")).toBeVisible();
  const host = await TestHost.start(playground, { folder: root });
  try {
    const second = new App(await context.newPage());
    await second.goto(await host.address());
    for (const [taker, giver] of [
      [second, first],
      [first, second],
    ] as const) {
      await expect(
        taker.page.getByRole("note").getByText("Read-only: open in another Hox window"),
      ).toBeVisible();
      await taker.page.screenshot({ path: "test-results/scenes/30-looking-on.png", animations: "disabled" });
      await taker.page.getByRole("button", { name: "Take over here" }).click();
      await taker.page
        .getByRole("alertdialog")
        .or(taker.page.getByRole("dialog"))
        .getByRole("button", { name: "Take over", exact: true })
        .click();
      await expect(taker.page.getByRole("button", { name: "Start a run" })).toBeVisible();
      await expect(
        giver.page.getByRole("note").getByText("Read-only: open in another Hox window"),
      ).toBeVisible();
      // What it showed is still there.
      await expect(giver.graph.row("shared by two")).toBeVisible();
    }
  } finally {
    await host.stop();
  }
});
