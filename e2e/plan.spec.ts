import { join } from "node:path";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

test("a plan is edited on the graph by mouse and by keyboard, approved there, and amended while agents work", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  test.setTimeout(480_000);
  const { app } = await start();
  const { plan, page } = app;
  const root = join(playground.state, "rehearsals", "profiles-1");
  const log = (revset: string, template: string) =>
    playground.jj(root, ["log", "--ignore-working-copy", "--no-graph", "-r", revset, "-T", template]);
  await app.watchRehearsal();
  await app.inbox.waitFor("plan");
  await page.keyboard.press("Alt+2");
  await expect(plan.part("Profile client")).toBeVisible();
  await expect(plan.bar).toContainText("3 tasks");
  await expect(plan.state).toHaveText("Proposed plan");
  const bands = page.locator("[data-phase-band]");
  await expect(bands.filter({ hasText: "phase 1" })).toHaveCount(2);
  await expect(bands.filter({ hasText: "API, client and store" }), "said once").toHaveCount(1);
  await scene("80-plan-on-the-graph");
  await accessible("a plan on the canvas");

  // By mouse: one task waits for another, with the result said before the drop; then back.
  await plan.drag(plan.part("Profile client"), plan.part("Profile API"), async () => {
    await expect(plan.preview("“Profile client” waits for “Profile API”")).toContainText("No new problem");
    await scene("81-link-preview");
  });
  await expect(plan.state).toHaveText("Proposed plan, edited");
  await plan.drag(plan.part("Profile API"), plan.part("Profile client"), async () => {
    await expect(
      plan.preview("These tasks wait for each other: “Profile API” → “Profile client” → “Profile API”."),
    ).toBeVisible();
  });
  await plan.part("Profile client").click();
  await expect(
    plan.inspector.getByRole("button", { name: "Remove dependency on Profile API" }),
  ).toBeVisible();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(plan.state).toHaveText("Proposed plan");
  await expect(plan.inspector.getByRole("button", { name: "Remove dependency on Profile API" })).toHaveCount(
    0,
  );

  // What a task inherits says what it costs, as far as the conversation has come.
  await plan.inspector.getByRole("button", { name: "Context: Fresh" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Inherit from O-A-1" }).click();
  await expect(plan.inspector).toContainText(/Also knows the conversation of O-A-1, now [\d.]+k tokens/u);
  await expect(plan.part("Profile client")).toContainText("inherits the conversation");
  await scene("81b-context");
  await page.keyboard.press("ControlOrMeta+z");
  await expect(plan.state).toHaveText("Proposed plan");

  // By keyboard alone: a new task, its words and files; what it would collide with is shown with a way out.
  await page.getByRole("listbox", { name: "Graph" }).focus();
  await page.keyboard.press("n");
  await expect(plan.inspector.getByLabel("Title")).toBeFocused();
  await page.keyboard.type("Describe profiles");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Say what a profile is.");
  await page.keyboard.press("Tab");
  await page.keyboard.type("docs/profiles.md\nsrc/profiles.js");
  await expect(plan.bar.getByRole("button", { name: "1 problem" })).toBeVisible();
  await expect(page.getByRole("button", { name: /both claim src\/profiles\.js/u })).toContainText(
    "same file",
  );
  await expect(plan.bar).toContainText("4 tasks");
  await scene("82-overlap");
  await accessible("a task of the plan with a problem");
  await page.getByRole("listbox", { name: "Graph" }).focus();
  await page.keyboard.press("l");
  await expect(plan.preview("“Describe profiles” waits for …")).toBeVisible();
  await page.keyboard.press("Home");
  await expect(plan.preview("“Describe profiles” waits for “Profile API”")).toContainText("Resolves:");
  await page.keyboard.press("Enter");
  await expect(plan.bar).toContainText("no problems found");
  await page.keyboard.press("4");
  await expect(plan.inspector.getByRole("button", { name: "Priority: low" })).toBeVisible();

  // Of a file that is parsed the warning names the symbol, and is gone once the tasks change different ones.
  await plan.part("Profile client").click();
  await plan.inspector
    .getByLabel("Description")
    .fill("Add `profile` and `saveProfile` after `createClient.addUser`.");
  await plan.part("Describe profiles").click();
  await plan.inspector.getByLabel("Files").fill("docs/profiles.md\nsrc/client.js");
  await plan.inspector.getByLabel("Description").fill("Say in `createClient.addUser` what a profile is.");
  const overlap = page.getByRole("button", {
    name: /both seem to change createClient\.addUser in src\/client\.js/u,
  });
  await expect(overlap).toContainText("same symbol");
  await plan.bar.getByRole("button", { name: "1 problem" }).click();
  await expect(page.getByRole("dialog", { name: "Problems of the plan" })).toContainText(
    "“Profile client” and “Describe profiles” run at the same time and both seem to change createClient.addUser in src/client.js.",
  );
  await scene("82b-same-symbol");
  await page.emulateMedia({ colorScheme: "dark" });
  await scene("82b-same-symbol-dark");
  await page.setViewportSize({ width: 1024, height: 700 });
  await scene("82b-same-symbol-dark-small");
  await page.emulateMedia({ colorScheme: "light" });
  await scene("82b-same-symbol-small");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press("Escape");
  await plan.inspector.getByLabel("Description").fill("Say in `overHttp` what a profile is.");
  await expect(plan.bar).toContainText("no problems found");

  // A reload loses nothing; the word is given from the graph.
  await page.reload();
  await expect(plan.state).toHaveText("Proposed plan, edited");
  await expect(plan.bar).toContainText("4 tasks");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(plan.bar).toHaveCount(0);
  await expect(app.graph.lane("Describe profiles")).toBeVisible({ timeout: 60_000 });
  await expect
    .poll(() => log('parents(description("Describe profiles*"))', "description.first_line()"))
    .toBe("Profile API");

  // While agents work: one more task, and its agent does it.
  await app.inbox.waitFor("align-request");
  await page.getByRole("button", { name: "Add a task to phase 1" }).click();
  await expect(plan.form.getByLabel("Title")).toBeFocused();
  await page.keyboard.type("Say who may read a profile");
  await plan.form.getByLabel("Files it may change").fill("docs/readers.md");
  await scene("83-add-to-the-run");
  await plan.form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(plan.form).toHaveCount(0);
  await expect(app.graph.lane("Say who may read a profile")).toBeVisible({ timeout: 60_000 });
  await expect
    .poll(
      () =>
        playground.jj(root, [
          "file",
          "list",
          "--ignore-working-copy",
          "-r",
          'description("Say who may read*")',
          "docs",
        ]),
      { timeout: 120_000 },
    )
    .toContain("docs/readers.md");
  await expect(
    app.graph.lane("Describe profiles"),
    "whom a lane waits for that nobody has begun",
  ).toContainText(/waits for|Phase \d/u);
  await scene("84-added");
  await accessible("the canvas of a run");

  await test.step("a lane has the menu of its change, by keys and by the mouse", async () => {
    const lane = app.graph.lane("Describe profiles");
    await lane.locator("[data-lane-name]").focus();
    await page.keyboard.press("Shift+F10");
    await expect(page.getByRole("menuitem", { name: "Open in" })).toBeVisible();
    await scene("84b-menu-of-a-lane");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0);
    await lane.locator("[data-lane-name]").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Plan" }).click();
    await page.getByRole("menuitem", { name: /Add a dependent task/u }).click();
    await expect(plan.form.getByLabel("Title")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(plan.form).toHaveCount(0);
  });

  await test.step("one key undoes an amendment of the running plan unless work is built on it", async () => {
    const kept = app.graph.lane("Tell how long profiles are kept");
    await page.getByRole("button", { name: "Add a task to phase 1" }).click();
    await plan.form.getByLabel("Title").fill("Tell how long profiles are kept");
    await plan.form.getByLabel("Files it may change").fill("docs/kept.md");
    await plan.form.getByRole("button", { name: "Add…" }).click();
    await page.getByRole("menuitem", { name: "Profile client" }).click();
    await expect(
      plan.form.getByRole("button", { name: "Remove dependency on Profile client" }),
    ).toBeVisible();
    await plan.form.getByRole("button", { name: "Add", exact: true }).click();
    await expect(kept).toBeVisible();
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.notices).toContainText("Undone: the new task “Tell how long profiles are kept”.");
    await expect(kept).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+Shift+z");
    await expect(app.notices).toContainText("Redone: the new task “Tell how long profiles are kept”.");
    await expect(kept).toBeVisible();
    await page.keyboard.press("ControlOrMeta+z");
    await expect(kept).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.notices).toContainText("Not undone: the new task “Say who may read a profile”.");
    await expect(app.graph.lane("Say who may read a profile")).toBeVisible();
  });

  // The earlier run, by one drag that starts at now; the active run is not disturbed, and one key away.
  const live = page.getByRole("region", { name: "Time of the run" });
  await expect(live).toContainText("operations");
  const box = await live.getByRole("slider").boundingBox();
  if (!box) throw new Error("There is no time.");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - 3, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 6 });
  const past = page.getByRole("region", { name: "Replay" });
  await expect(past).toContainText("Earlier state");
  // Near the beginning: how much of the time is before the added task depends on the machine.
  await page.mouse.move(box.x + 3, y, { steps: 6 });
  await page.mouse.up();
  await expect(past.getByRole("slider")).not.toHaveValue(
    (await past.getByRole("slider").getAttribute("max")) ?? "",
  );
  await expect(app.graph.lane("Say who may read a profile")).toHaveCount(0);
  await past.getByRole("button", { name: "Compare" }).click();
  await page.keyboard.press("Alt+n");
  const compared = page.getByRole("region", { name: "Compared moments" });
  await expect(compared.getByRole("list", { name: "Files" })).toContainText("src/profiles.js");
  await expect(compared.getByRole("list", { name: "Agents" })).toContainText("agent-");
  await scene("85-compared");
  await accessible("two moments compared");
  await compared.getByRole("button", { name: "Stop comparing" }).click();
  await page.keyboard.press("Alt+Backspace");
  await expect(live).toBeVisible();
  await expect(app.graph.lane("Say who may read a profile")).toBeVisible();

  await test.step("everything goes back to a moment only while the run is paused; the run ends by it", async () => {
    await app.operations.open();
    await app.operations.region.getByRole("list", { name: "Operations" }).getByRole("button").first().click();
    await page.keyboard.press("Enter");
    await expect(past).toContainText("Earlier state");
    await expect(app.operations.region.getByText("shown", { exact: true })).toBeVisible();
    await scene("86-moment-of-an-operation");
    await past.getByRole("button", { name: "To the beginning" }).click();
    await expect(app.graph.lane("Say who may read a profile")).toHaveCount(0);
    await past.getByRole("button", { name: "Restore everything to this moment…" }).click();
    const dialog = page.getByRole("dialog", { name: /^Restore everything to/u });
    await expect(dialog.getByRole("alert")).toContainText("Pause first");
    await dialog.getByRole("button", { name: "Pause all runs" }).click();
    await expect(dialog.getByRole("list", { name: "Runs" })).toContainText("ends");
    await expect(dialog.getByRole("list", { name: "Changes" })).toContainText("Say who may read a profile");
    await scene("87-restore-a-run");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("87-restore-a-run-dark-small");
    // What agents saved at the end of their turns is shown first, and then it is said once more.
    const restore = dialog.getByRole("button", { name: "Restore everything" });
    await expect(async () => {
      if (await restore.isEnabled({ timeout: 500 }).catch(() => false))
        await restore.click({ timeout: 2_000 });
      await expect(app.notices).toContainText("Restored everything to", { timeout: 10_000 });
    }).toPass();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    await scene("88-restored-dark");
  });
});
