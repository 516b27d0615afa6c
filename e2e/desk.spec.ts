import { expect, test } from "./test.ts";

/** Long enough for history to fold, with subjects that no row has room for. */
const history = Array.from(
  { length: 14 },
  (_, at) => `Change number ${at}: ${"a subject that goes on and on, as real ones do, ".repeat(4)}`,
);

test("the desk of a person: keys lead where they say, a fold is one line, and the window comes up as it was left", async ({
  start,
  playground,
  page,
  scene,
}) => {
  const one = await playground.repository("one", history);
  await playground.jj(one, ["bookmark", "create", "main", "-r", "@-"]);
  await playground.jj(one, ["config", "set", "--repo", 'revset-aliases."immutable_heads()"', "main"]);
  const two = await playground.repository("two", ["only this"]);
  const first = await start();
  const { app } = first;

  await test.step("the welcome has the focus on its first thing", async () => {
    await expect(app.welcome).toBeFocused();
  });

  await app.openFolder(one);
  await app.graph.shown();

  await test.step("a fold is as high as every other row, on one line", async () => {
    const fold = app.graph.grid.locator('[data-row-key^="fold:"]').first();
    await expect(fold).toBeVisible();
    const inside = await fold.evaluate((row) => {
      const own = row.getBoundingClientRect();
      return [...row.querySelectorAll("span")].every((part) => {
        const box = part.getBoundingClientRect();
        return box.top >= own.top - 1 && box.bottom <= own.bottom + 1;
      });
    });
    expect(inside, "nothing of it lies on its neighbours").toBe(true);
    await scene("120-fold-rows");
  });

  await test.step("a click shows the change, also while the inbox is in front", async () => {
    await app.inbox.open();
    await app.graph.row("Change number 13").click();
    await expect(app.inspector.title).toContainText("Change number 13");
  });

  await test.step("Alt+I takes the focus along", async () => {
    await page.keyboard.press("Alt+i");
    await expect(app.inbox.region).toBeFocused();
  });

  await test.step("what was chosen in one repository names nothing in another", async () => {
    await app.graph.row("Change number 13").click();
    await app.graph.filter.fill("mutable()");
    await page.keyboard.press("ControlOrMeta+o");
    await page
      .getByRole("dialog", { name: "Open a repository" })
      .getByRole("textbox", { name: "Path" })
      .fill(two);
    await page.getByRole("button", { name: "Open this folder" }).click();
    await expect(app.graph.row("only this")).toBeVisible();
    await expect(app.graph.grid).not.toHaveAttribute("aria-activedescendant", /./u);
    await expect(app.graph.filter).toHaveValue("");
  });

  await test.step("view, panels and sizes are there again at another port", async () => {
    await page.keyboard.press("Alt+2");
    await page.keyboard.press("ControlOrMeta+b");
    const edge = page.getByRole("separator", { name: "Width of the inspector" });
    await edge.focus();
    for (let at = 0; at < 3; at += 1) await page.keyboard.press("ArrowLeft");
    const width = await edge.getAttribute("aria-valuenow");
    await expect(app.queue.region).toHaveCount(0);
    // Kept when it has come to rest.
    await page.waitForTimeout(600);
    await first.host.stop();
    await start({ folder: two });
    await expect(page.getByRole("button", { name: "Canvas", pressed: true })).toBeVisible();
    await expect(app.queue.region).toHaveCount(0);
    await expect(edge).toHaveAttribute("aria-valuenow", width ?? "");
  });
});
