import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

test("a conflict with another agent's work is shown at the end of the lane, and opens its sides from there", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const { app } = await start();
  const { page } = app;
  const root = join(playground.state, "rehearsals", "profiles-1");
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  await app.inbox.waitFor("align-request");
  const task = (await app.graph.row("Profile client").getAttribute("data-change-id")) ?? "";
  const one = (revset: string, template: string) =>
    playground.jj(root, ["log", "--no-graph", "-r", revset, "-T", template]);
  await expect.poll(() => one(task, 'diff.files().map(|f| f.path()).join("\\n")')).toMatch(/\S/u);
  const [file = ""] = (await one(task, 'diff.files().map(|f| f.path()).join("\\n")')).split("\n");

  await test.step("a user moves it onto another idea of the same file", async () => {
    await playground.jj(root, ["new", `${task}-`, "-m", "another idea"]);
    await writeFile(join(root, file), "// written otherwise\n");
    await playground.jj(root, ["rebase", "-s", task, "-o", "@"]);
    await page.getByRole("button", { name: "Canvas", exact: true }).click();
    const lens = page.locator("[data-merge-conflict]");
    await expect(lens).toBeVisible();
    await scene("92c-merge-conflict-on-the-canvas-light");
    await accessible("a merge conflict on the canvas");
    await lens.click();
    const conflict = page.getByRole("region", { name: "Conflict" });
    await expect(conflict).toContainText(file);
    // The first Escape leaves the field of the result, the next one the page.
    await expect(conflict.getByRole("textbox", { name: "Result" })).toBeFocused();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(conflict).toHaveCount(0);

    // By keys it is the last moment of its lane, and the keys are there again afterwards.
    await page.locator("[data-lane-name][title='Profile client']").focus();
    await expect(async () => {
      await page.keyboard.press("ArrowRight");
      await expect(lens).toBeFocused({ timeout: 100 });
    }).toPass();
    await page.keyboard.press("Enter");
    await expect(conflict.getByRole("textbox", { name: "Result" })).toBeFocused();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(lens).toBeFocused();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("92c-merge-conflict-on-the-canvas-dark-small");
  });

  await test.step("moved back, the way in is gone", async () => {
    await playground.jj(root, ["rebase", "-s", task, "-o", "@-"]);
    await expect(page.locator("[data-merge-conflict]")).toHaveCount(0);
  });
});
