import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toolPath } from "../src-main/config/tools.ts";
import { expect, test } from "./test.ts";

test("each page reports a host that stops answering or is gone, keeps what was typed, and recovers with the host", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const root = await playground.repository("project", ["kept"]);
  const { app, host } = await start({ folder: root });
  const { page } = app;
  await expect(app.graph.row("kept")).toBeVisible();
  const status = page.getByText("Hox is not responding. This view may be out of date.");
  const alert = (name: string) => page.getByRole("region", { name, exact: true }).getByRole("alert");
  const dialog = page.getByRole("dialog", { name: "Start a run" });
  const goal = dialog.getByRole("textbox", { name: "Goal" });

  await test.step("a page that was opened meanwhile says why it is empty", async () => {
    host.freeze();
    await page.keyboard.press("Alt+3");
    await expect(alert("Runs")).toHaveText("Hox is not responding.This view loads when Hox responds.");
    await expect(status).toBeVisible();
    await scene("190-silent-host");
    await accessible("a host that does not answer");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Alt+4");
    await expect(alert("Reports"), "nothing more is sent").toContainText("Hox is not responding.");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Alt+5");
    await expect(alert("Patterns")).toContainText("Hox is not responding.");
    await page.keyboard.press("Escape");
  });

  await test.step("what is written is refused in words, and stays", async () => {
    await page.getByRole("button", { name: "Start a run" }).click();
    await goal.fill("Make it quicker");
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(app.notices).toContainText("The run did not start: Hox is not responding.");
    await expect(app.notices).toContainText("Nothing was sent. Try again when Hox is connected.");
    await expect(goal).toHaveValue("Make it quicker");
    await expect(dialog.getByRole("note", { name: "Forecast" })).toContainText("could not be read");
    await scene("190-silent-host-start");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await page.keyboard.press("Alt+3");
    await expect(alert("Runs")).toBeVisible();
    await page.keyboard.press("Escape");
  });

  await test.step("a typed goal is kept however the dialog was closed", async () => {
    const begin = page.getByRole("button", { name: "Start a run" });
    await begin.click();
    await expect(goal).toHaveValue("Make it quicker");
    await goal.fill("Make it quicker still");
    await dialog.getByLabel("Build on").fill("kept");
    await page.mouse.click(8, 400);
    await expect(dialog).toHaveCount(0);
    await begin.click();
    await expect(goal).toHaveValue("Make it quicker still");
    await expect(dialog.getByLabel("Build on")).toHaveValue("kept");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await begin.click();
    await expect(goal).toHaveValue("Make it quicker still");
    await goal.fill("");
    await page.keyboard.press("Escape");
    await begin.click();
    await expect(goal).toHaveValue("");
    await expect(dialog.getByLabel("Build on"), "what belongs to no goal goes with it").toHaveValue("");
  });

  await test.step("what the open dialog could not read, and what changed meanwhile, is read when the host answers again", async () => {
    const template = async (name: string): Promise<void> => {
      await mkdir(join(root, ".hox", "templates"), { recursive: true });
      await writeFile(join(root, ".hox", "templates", `${name}.md`), `${name}\n`);
    };
    const templates = async (...names: readonly string[]): Promise<void> => {
      await expect(async () => {
        await dialog.getByRole("button", { name: "Templates" }).click();
        for (const name of names)
          await expect(page.getByRole("menuitem", { name }).first()).toBeVisible({ timeout: 1_000 });
      }).toPass();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("menu")).toHaveCount(0);
    };
    const ideas = dialog.getByRole("region", { name: "Ideas" });
    await expect(ideas.getByRole("alert")).toContainText("The ideas could not be read");
    await template("First");
    host.thaw();
    await expect(status).toHaveCount(0);
    await expect(ideas).toContainText("No ideas yet.");
    await expect(dialog.getByRole("note", { name: "Forecast" })).toHaveCount(0);
    await templates("First");
    host.freeze();
    await expect(status).toBeVisible();
    await template("Second");
    host.thaw();
    await expect(status).toHaveCount(0);
    await templates("First", "Second");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    host.freeze();
    await page.keyboard.press("Alt+3");
    await expect(alert("Runs")).toBeVisible();
    await expect(status).toBeVisible();
  });

  await test.step("the page reloads when the host answers again", async () => {
    host.thaw();
    await expect(status).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Runs", exact: true })).toContainText("No runs yet");
    await page.keyboard.press("Escape");
  });

  await test.step("without a host the pages say so too", async () => {
    await host.kill();
    await expect(app.connectionLost).toBeVisible();
    await page.keyboard.press("Alt+4");
    await expect(alert("Reports")).toContainText("The window is not connected to Hox.");
    await expect(app.graph.row("kept")).toBeAttached();
    await scene("191-without-a-host");
  });
});

test("what jj could not do is said where it is missing, and asked for again without going elsewhere", async ({
  start,
  playground,
  scene,
}) => {
  const root = await playground.repository("project", ["kept", "looked at"]);
  const broken = join(playground.folder, "broken");
  const jj = join(playground.folder, "jj");
  await writeFile(
    jj,
    `#!/bin/sh\n[ ! -e ${broken} ] || { echo "Internal error: The store is broken" >&2; exit 255; }\nexec ${toolPath("jj")} "$@"\n`,
  );
  await chmod(jj, 0o755);
  playground.environment.HOX_JJ = jj;
  const { app } = await start({ folder: root });
  await expect(app.graph.row("looked at")).toBeVisible();
  await writeFile(broken, "");
  await app.graph.row("looked at").dblclick();
  const { region } = app.inspector;
  await expect(region.getByRole("alert")).toContainText("The store is broken");
  await expect(region.getByRole("alert")).toContainText("report the message to the jj project");
  await app.inspector.show("Diff");
  await expect(region.getByRole("alert")).toContainText("The store is broken");
  await scene("192-jj-fails");
  await rm(broken);
  await region.getByRole("button", { name: "Retry" }).click();
  await expect(region.getByRole("alert")).toHaveCount(0);
  await expect(region).toContainText("file-1.txt");
});
