import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

// As most people have it.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

test("a jj command in a terminal appears on the graph without a reload", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const root = await playground.repository("project", ["lay the foundation", "build the walls"]);
  const { app } = await start({ folder: root });
  await app.graph.shown();
  await expect(app.graph.row("build the walls")).toBeVisible();
  await expect(app.graph.row("no uncommitted changes")).toBeVisible();
  await writeFile(join(root, "window.txt"), "glass\n");
  await playground.jj(root, ["status"]);
  await expect(app.graph.row("your uncommitted changes (1 file)")).toHaveAccessibleName(
    /^your working copy/u,
  );
  await app.page.evaluate(() => {
    document.body.dataset.neverReloaded = "yes";
  });

  await playground.jj(root, ["describe", "-m", "raise the roof"]);
  await expect(app.graph.row("raise the roof")).toBeVisible();
  await playground.jj(root, ["new", "root()", "-m", "another house"]);
  await expect(app.graph.row("another house")).toBeVisible();
  await expect(app.graph.row("another house")).toHaveAccessibleName(/working copy of default/u);
  await playground.jj(root, ["bookmark", "create", "festival", "-r", "@"]);
  await expect(app.graph.row("another house")).toContainText("festival");
  await playground.jj(root, ["abandon", "description('raise*')"]);
  await expect(app.graph.row("raise the roof")).toHaveCount(0);
  await app.operations.open();
  await expect(app.operations.region).toContainText("abandon");
  await scene("20-live-graph");
  await expect(app.page.locator("body")).toHaveAttribute("data-never-reloaded", "yes");

  const { page } = app;
  const { region } = app.operations;
  await test.step("operations are rows of words: a click selects the change, Tab leads to what can be done", async () => {
    await expect(region).toContainText("abandoned “raise the roof”");
    const row = region.getByRole("button", { name: /moved festival to “another house”/u });
    await row.click();
    await expect(app.graph.row("another house")).toHaveAttribute("aria-selected", "true");
    await row.focus();
    await page.keyboard.press("ArrowUp");
    await expect(region.getByRole("button", { name: /abandoned “raise the roof”/u })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(row).toBeFocused();
    await accessible("operations");
    await page.keyboard.press("Tab");
    await expect(
      region.getByRole("button", { name: /^Restore everything/u }).and(page.locator(":focus")),
    ).toHaveCount(1);
    await scene("21-operations");
  });
  await test.step("everything goes back to that moment by a key, and is there again by another one", async () => {
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Restore everything to/u });
    await expect(dialog.getByRole("list", { name: "Changes" })).toContainText("raise the roof");
    await expect(dialog.getByRole("list", { name: "From terminals" })).toContainText("abandon");
    await scene("22-restore-preview");
    await accessible("what restoring everything does");
    await dialog.getByRole("button", { name: "Restore everything" }).click();
    await expect(app.graph.row("raise the roof")).toBeVisible();
    await expect(region).toContainText("restored the repository to an earlier operation");
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.graph.row("raise the roof")).toHaveCount(0);
    await expect(app.notices).toContainText("Undone: restoring everything to");
  });
});

test("the inspector shows a change, its diff and its metadata", async ({ start, playground, scene }) => {
  const root = await playground.repository("project", [
    "lay the foundation\n\nHox-Kind: task\nHox-Priority: high",
  ]);
  const { app } = await start({ folder: root });
  await app.graph.row("lay the foundation").dblclick();
  await expect(app.inspector.title).toHaveText("lay the foundation");
  await expect(app.inspector.region).toContainText("file-0.txt");
  await app.inspector.show("Diff");
  await expect(app.inspector.region).toContainText("lay the foundation");
  await scene("21-inspector");
});

test("the filter speaks jj and Hox, and points at a mistake", async ({ start, playground, scene }) => {
  const root = await playground.repository("project", [
    "urgent\n\nHox-Kind: task\nHox-Priority: high",
    "later\n\nHox-Kind: task\nHox-Priority: low",
  ]);
  const { app } = await start({ folder: root });
  await expect(app.graph.row("urgent")).toBeVisible();
  await app.graph.filter.fill("priority(high) & mutable()");
  await expect(app.graph.row("later")).toHaveAttribute("data-dimmed", "true");
  await expect(app.graph.row("urgent")).not.toHaveAttribute("data-dimmed", "true");
  await app.graph.filter.fill("mutable() & priority(urgent)");
  await expect(app.graph.filterProblem).toContainText("^".repeat("urgent".length));
  await scene("22-filter-mistake");
  await app.graph.filter.fill("");
  await expect(app.graph.dimmed).toHaveCount(0);
});

test("everything in the log view works by keyboard", async ({ start, playground }) => {
  // jj's ids are letters from k to z, so "two" may be a part of one.
  const root = await playground.repository("project", ["one", "second", "three"]);
  const { app } = await start({ folder: root });
  await expect(app.graph.row("three")).toBeVisible();
  await app.graph.grid.focus();
  await app.page.keyboard.press("Home");
  await app.page.keyboard.press("ArrowDown");
  await expect(app.graph.row("three")).toHaveAttribute("aria-selected", "true");
  await app.page.keyboard.press("ArrowDown");
  await expect(app.graph.row("second")).toHaveAttribute("aria-selected", "true");
});
