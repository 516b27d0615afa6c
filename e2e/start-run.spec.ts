import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { done, write } from "../src-main/engine/testing/three-agents-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a quick run is begun by keyboard with a file named by @, a template, a picture and a model of its own; the next one is forecast from it and begins with its choices", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const works = [write("src/store.txt", "the store\n"), done("The store is written.")];
  const standIn = await startStandIn({
    script: { name: "quick", routes: { "agent-1": [{ name: "works", steps: works }] } },
    models: ["claude-sonnet-5-5", "claude-opus-5-5"],
    pace: 0,
  });
  Object.assign(playground.environment, {
    ANTHROPIC_API_KEY: standIn.apiKey,
    ANTHROPIC_BASE_URL: standIn.url,
  });
  try {
    const root = await playground.repository("project");
    for (const [name, text] of Object.entries({ "app.ts": "one\n", "application.md": "two\n" }))
      await writeFile(join(root, name), text);
    await playground.jj(root, ["commit", "-m", "two files"]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    page.setDefaultTimeout(8000);
    await page.keyboard.press("Control+Enter");
    const dialog = app.dialog("Start a run");
    const goal = page.getByLabel("Goal");
    await expect(goal).toBeFocused();
    await expect(dialog.locator("[data-start-forecast]")).toContainText("No earlier run of this repository");

    // A file of the repository by its first letters; Escape closes the list and not the dialog.
    await goal.pressSequentially("Write the store beside @app");
    const files = dialog.getByRole("listbox", { name: "Files of the repository" }).getByRole("option");
    await expect(files).toHaveText(["app.ts", "application.md"]);
    await page.keyboard.press("ArrowDown");
    await scene("120-start-file");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect(goal).toHaveValue("Write the store beside @app.ts ");
    await goal.pressSequentially("@app");
    await expect(files).toHaveCount(2);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeVisible();
    await expect(files).toHaveCount(0);

    // What is begun from often is kept with the repository, and its fields are asked for.
    await goal.fill("Write the {{thing}} beside {{ file | app.ts }}");
    await dialog.getByRole("button", { name: "Templates" }).click();
    await page.getByRole("menuitem", { name: "Keep as a template…" }).click();
    await dialog.getByLabel("Name").fill("Beside");
    await dialog.getByRole("button", { name: "Keep", exact: true }).click();
    await dialog.getByRole("button", { name: "Templates" }).click();
    await page.getByRole("menuitem", { name: "Beside" }).first().click();
    await dialog.getByLabel("thing").fill("store");
    await expect(goal).toHaveValue("Write the store beside app.ts");
    await dialog.locator('input[type="file"]').setInputFiles([
      { name: "sketch.png", mimeType: "image/png", buffer: pixel },
      { name: "wishes.md", mimeType: "text/markdown", buffer: Buffer.from("One line.") },
    ]);
    await expect(dialog.getByText("wishes.md (1 kB)")).toBeVisible();

    // The provider is asked whether it has the model, before anything is paid.
    await dialog.getByRole("button", { name: "Quick: one agent" }).click();
    await dialog.getByText("Models", { exact: true }).click();
    await dialog.getByLabel("Agents", { exact: true }).fill("claude-haiku-5-5");
    await expect(
      dialog.getByText("The provider knows no such model", { exact: false }).first(),
    ).toBeVisible();
    await dialog.getByLabel("Agents", { exact: true }).fill("claude-opus-5-5");
    await expect(dialog.getByRole("img", { name: "The provider has it" })).toBeVisible();
    await dialog.getByLabel("Effort of agents").selectOption("low");
    await scene("121-start-quick");
    await accessible("the start dialog");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("122-start-quick-dark");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await goal.focus();
    await page.keyboard.press("Control+Enter");

    // Nothing was found that checks the work: the run says so before anything is paid, and the header says who waits.
    const firstLook = await inbox.waitFor("first-look");
    await expect(page.getByText("Stands still: first look waits for you")).toBeVisible();
    await firstLook.getByRole("button", { name: /^Go on unchecked/u }).click();

    const land = await inbox.waitFor("land");
    await expect(page.getByRole("list", { name: "Steps of the run" }).getByRole("listitem")).toHaveCount(2);
    await scene("123-quick-run-lands");
    await accessible("a quick run that waits to land");
    await land.getByRole("button", { name: /^Land on main/u }).click();
    const begin = page.getByRole("button", { name: "Start a run" });
    await expect(begin).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", "src/store.txt"])).toBe("the store\n");

    await begin.click();
    await expect(dialog.locator("[data-start-forecast]")).toContainText(
      "From 1 earlier run of this repository: too few to rely on.",
    );
    await expect(dialog.getByRole("button", { name: "Quick: one agent" })).toHaveAttribute(
      "aria-pressed",
      "true",
    );
    await expect(dialog.getByText("claude-opus-5-5").first()).toBeVisible();
    await scene("124-start-forecast");
  } finally {
    await standIn.close();
  }
});
