import { expect, test } from "./test.ts";

test("a plan of 40 tasks is written by keyboard, read, and settled by one remedy @long", async ({
  start,
  scene,
}) => {
  test.setTimeout(300_000);
  const { app } = await start();
  const { plan, page } = app;
  await app.watchRehearsal();
  await app.inbox.waitFor("plan");
  await page.keyboard.press("Alt+2");
  await plan.part("Profile client").click();
  const graph = page.getByRole("tree", { name: "Graph" });
  for (let n = 4; n <= 40; n += 1) {
    await graph.focus();
    await page.keyboard.press("n");
    await expect(plan.inspector.getByLabel("Title")).toBeFocused();
    await page.keyboard.type(`Write chapter ${n} of the handbook`);
    await page.keyboard.press("Tab");
    await page.keyboard.type("One page, with an example that runs.");
    await page.keyboard.press("Tab");
    await page.keyboard.type(n % 4 === 0 ? `docs/${n}.md\nCHANGELOG.md` : `docs/${n}.md`);
    if (n % 2 === 0) {
      await graph.focus();
      await page.keyboard.press("]");
    }
  }
  await expect(plan.bar).toContainText("40 tasks");

  // Ten tasks of a phase claim one file: one problem with one remedy, by titles.
  await plan.bar.getByRole("button", { name: "1 problem" }).click();
  const problems = page.getByRole("list", { name: "Problems of the plan" }).last();
  await expect(problems).toContainText(
    "10 tasks that run at the same time claim CHANGELOG.md: “Write chapter 4",
  );
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await scene(`86-plan-at-size-problem-${colorScheme}`);
  }
  await problems.getByRole("button", { name: "Let the 10 work one after another" }).click();
  await page.keyboard.press("Escape");
  await expect(plan.bar).toContainText("no problem");
  await page.keyboard.press("ControlOrMeta+z");

  // Between the phases stands one edge, not one for each pair.
  await expect(page.locator("[data-phase-edge]")).toHaveCount(3);
  for (const [width, height] of [
    [1440, 900],
    [1024, 700],
  ] as const)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await page.keyboard.press("0");
      await scene(`87-plan-at-size-${width}-${colorScheme}`);
    }

  // Still a plan that is edited: a task among the 40 comes to wait for another by mouse.
  await page.setViewportSize({ width: 1440, height: 900 });
  await plan.drag(plan.part("Write chapter 7 of"), plan.part("Write chapter 5 of"), async () => {
    await expect(plan.preview("“Write chapter 7 of the handbook” waits for “Write chapter 5")).toBeVisible();
  });
  await expect(plan.inspector).toBeVisible();
});
