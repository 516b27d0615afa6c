import { expect, test } from "./test.ts";

test("a task is tried twice, both are compared and one is chosen; a turn of a transcript is forked with other words", {
  tag: "@long",
}, async ({ start, page, scene, accessible }) => {
  const { app } = await start({ pace: 2 });
  await app.watchRehearsal();
  await app.inbox.waitFor("plan");
  await page.keyboard.press("Alt+2");

  // The plan: this task twice, with what that means said before it is approved.
  await app.plan.part("Profile API").click();
  await app.plan.inspector.getByRole("button", { name: "Attempts: 1" }).click();
  await page.getByRole("menuitemcheckbox", { name: "2 times, and choose one" }).click();
  await expect(app.plan.inspector.getByRole("button", { name: "Attempts: 2" })).toBeVisible();
  await expect(app.plan.bar.getByRole("button", { name: "1 problem" })).toBeVisible();
  await scene("90-try-twice");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(app.plan.bar).toHaveCount(0);
  await page.keyboard.press("Alt+1");

  // Both have come to their end; the other question of the run waits beside it.
  const card = await app.inbox.waitFor("attempts");
  await expect(card.getByRole("button", { name: /Choose this one/u })).toHaveCount(2);
  await expect(app.graph.row("Profile API")).toHaveCount(2);
  await expect(app.graph.grid.getByTitle("Attempt 2 of 2", { exact: false })).toBeVisible();
  await scene("91-attempts-card");
  await accessible("attempts to choose from");

  // Nothing is merged meanwhile: who tried what can be chosen to and fro.
  await app.control("Pause").click();
  await expect(app.control("Resume")).toBeVisible();
  await card.getByRole("button", { name: "Compare side by side" }).click();
  const dialog = page.getByRole("dialog", { name: "2 attempts: Profile API" });
  const [first, second] = [
    dialog.locator("[data-attempt=agent-1]"),
    dialog.locator("[data-attempt=agent-4]"),
  ];
  await expect(first.getByRole("list", { name: "Files" })).toContainText("src/profiles.js");
  await expect(second.getByRole("list", { name: "Files" })).toContainText("src/profiles.js");
  for (const colorScheme of ["light", "dark"] as const)
    for (const [width, height] of [
      [1440, 900],
      [1024, 700],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await expect(first).toBeVisible();
      await scene(`92-compare-${colorScheme}-${width}`);
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await accessible("two attempts compared");
  await dialog.getByRole("button", { name: "Attempt 1" }).click();
  await expect(first).toContainText("The other attempts are compared with this one.");
  await page.keyboard.press("2");
  await expect(second.getByText("chosen", { exact: true })).toBeVisible();
  await expect(first.getByText("abandoned", { exact: true })).toBeVisible();
  await scene("93-chosen");
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await expect(app.graph.row("Profile API")).toHaveCount(1);

  // The choice is one edit: a key takes it back and makes it again, and so does the row of its operation.
  await app.graph.grid.focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(app.notices).toContainText("Undone: the choice of agent-4.");
  await expect(app.graph.row("Profile API")).toHaveCount(2);
  await scene("93b-choice-undone");
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await expect(app.notices).toContainText("Redone: the choice of agent-4.");
  await expect(app.graph.row("Profile API")).toHaveCount(1);
  await app.operations.open();
  const abandoned = app.operations.region
    .getByRole("listitem")
    .filter({ hasText: "abandoned “Profile API”" })
    .first();
  await abandoned.hover();
  await abandoned.getByRole("button", { name: "Undo this operation" }).click();
  await app.dialog("Undo this operation?").getByRole("button", { name: "Undo" }).click();
  await expect(app.graph.row("Profile API")).toHaveCount(2);
  await app.control("Resume").click();
  const again = await app.inbox.waitFor("attempts");
  await again.getByRole("button", { name: "Compare side by side" }).click();
  await page.keyboard.press("2");
  await expect(second.getByText("chosen", { exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await expect(app.graph.row("Profile API")).toHaveCount(1);

  // The client waits for an answer; from its first turn another agent continues with other words.
  await app.inbox.waitFor("align-request");
  await app.graph.row("Profile client").dblclick();
  await app.inspector.show("Agent");
  const forkHere = app.inspector.region.getByRole("button", {
    name: "Fork from here: turn 1 of iteration 1",
  });
  await forkHere.focus();
  await scene("94-fork-from-here");
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "Fork from here" });
  await form.getByLabel("Instructions for the new attempt").fill("Call it user_id and ask nobody.");
  await scene("95-fork-dialog");
  await accessible("a fork from here");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(form).toHaveCount(0);
  await expect(app.graph.row("Profile client")).toHaveCount(2);
  await expect(app.inspector.region.getByRole("button", { name: /1\/2/u })).toBeVisible();
  await scene("96-forked");
});
