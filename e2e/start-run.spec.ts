import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { done, write } from "../src-main/engine/testing/three-agents-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a quick run starts by keyboard with a file named by @, a template, a picture and another model; the next one shows its cost, presets its choices and is compared with it", async ({
  start,
  playground,
  scene,
  accessible,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const again = [write("src/view.txt", "the view\n"), done("The view is written.")];
  const works = [write("src/store.txt", "the store\n"), done("The store is written.")];
  const standIn = await startStandIn({
    script: {
      name: "quick",
      routes: {
        "agent-1": [
          { name: "works again", prompt: "Write the view", steps: again },
          { name: "works", steps: works },
        ],
      },
    },
    models: ["claude-sonnet-5-5", "claude-opus-5-5"],
    pace: 0,
  });
  playground.answeredBy(standIn);
  try {
    const root = await playground.repository("project");
    for (const [name, text] of Object.entries({ "app.ts": "one\n", "application.md": "two\n" }))
      await writeFile(join(root, name), text);
    // Whoever wrote the repository wrote this; its user has not trusted it.
    await mkdir(join(root, ".hox"));
    const settings =
      'protected_files = ["!CLAUDE.md"]\n[sandbox]\nhosts = ["packages.example.org"]\n[gates]\nmutations = "auto"\n';
    await writeFile(join(root, ".hox", "config.toml"), settings);
    await playground.jj(root, ["commit", "-m", "two files"]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app, host } = await start({ folder: root });
    const { page, inbox } = app;
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    const dialog = app.dialog("Start a run");
    const goal = page.getByLabel("Goal");
    await expect(goal).toBeFocused();

    const untrusted = dialog.getByRole("region", { name: "Settings of this repository" });
    await expect(untrusted.getByRole("listitem")).toHaveText([
      /Agents can change CLAUDE\.md\..*protected_files: "!CLAUDE\.md"/u,
      /Agents can change \.env, .* and \d+ others\./u,
      /Agents' commands can connect to packages\.example\.org\./u,
      /Decisions that bind several agents apply without your approval\./u,
    ]);
    await scene("119-start-untrusted");
    await accessible("settings of a repository that are not trusted");
    await untrusted.getByRole("button", { name: "Trust these settings" }).click();
    // Its button is gone; the focus stays where the user was, so that the dialog takes it nowhere later.
    await expect(dialog.getByText("You trust the settings of this repository.")).toBeFocused();
    await expect(untrusted).toHaveCount(0);
    await goal.focus();

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
    await page.getByRole("menuitem", { name: "Save as template…" }).click();
    await dialog.getByLabel("Name").fill("Beside");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByRole("button", { name: "Templates" }).click();
    await page.getByRole("menuitem", { name: "Beside" }).first().click();
    await dialog.getByLabel("thing").fill("store");
    await expect(goal).toHaveValue("Write the store beside app.ts");
    await dialog.locator('input[type="file"]').setInputFiles([
      { name: "sketch.png", mimeType: "image/png", buffer: pixel },
      { name: "wishes.md", mimeType: "text/markdown", buffer: Buffer.from("One line.") },
    ]);
    await expect(dialog.getByText("wishes.md (1 kB)")).toBeVisible();

    const validators = dialog.getByRole("group", { name: "Validators" });
    await expect(validators.getByRole("button")).toHaveText(["Automatic", "One", "Panel of 4"]);
    await validators.getByRole("button", { name: "Panel of 4" }).click();
    await expect(
      dialog.getByText("4 validators judge the result; 3 must approve.", { exact: false }),
    ).toBeVisible();
    await scene("120-start-validators");

    // The provider is asked whether it has the model, before anything is paid.
    await dialog.getByRole("button", { name: "Quick: one agent" }).click();
    await expect(validators, "a quick run has no votes").toHaveCount(0);
    await dialog.getByText("Models", { exact: true }).click();
    await dialog.getByLabel("Agents", { exact: true }).fill("claude-haiku-5-5");
    await expect(dialog.getByText("The provider has no such model", { exact: false }).first()).toBeVisible();
    await dialog.getByLabel("Agents", { exact: true }).fill("claude-opus-5-5");
    await expect(dialog.getByRole("img", { name: "Available at the provider" })).toBeVisible();
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
    const preflight = await inbox.waitFor("preflight");
    await expect(page.getByText("Waiting for you: preflight", { exact: true })).toBeVisible();
    await preflight.getByRole("button", { name: /^Continue without checks/u }).click();

    const land = await inbox.waitFor("land");
    await expect(page.getByRole("button", { name: "Steps of the run: Land, 2 of 2" })).toBeVisible();
    await scene("123-quick-run-lands");
    await accessible("a quick run that waits to land");
    await land.getByRole("button", { name: /^Land on main/u }).click();
    const begin = page.getByRole("button", { name: "Start a run" });
    await expect(begin).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", "src/store.txt"])).toBe("the store\n");

    await begin.click();
    await expect(goal, "the goal was used for the run").toHaveValue("");
    await expect(dialog.getByRole("note", { name: "Forecast" })).toHaveText(
      /^1 earlier task: about \$\d+\.\d\d and \d+ (?:s|min)\.$/u,
    );
    await expect(dialog.getByRole("button", { name: "Quick: one agent" })).toHaveAttribute(
      "aria-pressed",
      "true",
    );
    await expect(dialog.getByText("claude-opus-5-5").first()).toBeVisible();
    await scene("124-start-forecast");

    await test.step("a second run lands", async () => {
      await goal.fill("Write the view");
      await page.keyboard.press("Control+Enter");
      const look = inbox.card("preflight");
      const waits = inbox.card("land");
      await inbox.open();
      await expect(look.or(waits).first()).toBeVisible();
      if (await look.isVisible())
        await look.getByRole("button", { name: /^Continue without checks/u }).click();
      await (await inbox.waitFor("land")).getByRole("button", { name: /^Land on main/u }).click();
      await expect(begin).toBeVisible();
    });

    await test.step("one key moves the working copy onto what landed, and says so where it is there", async () => {
      await app.graph.grid.focus();
      await page.keyboard.press("Alt+g");
      // The template that was kept above is an edit of one's own: it is named before, and stays.
      const asked = app.dialog("Switch the folder to main?");
      await expect(asked).toContainText(".hox/templates/Beside.md");
      await asked.getByRole("button", { name: "Switch folder" }).click();
      await expect(app.notices).toContainText("Your folder is now on main.");
      await expect(app.graph.grid).toBeFocused();
      const here = ["log", "--no-graph", "-r", "@-", "-T", "bookmarks"];
      expect(await playground.jj(root, here)).toContain("main");
      expect(await readFile(join(root, "src", "view.txt"), "utf8")).toBe("the view\n");
      await page.keyboard.press("Alt+g");
      await expect(app.notices).toContainText("The folder is up to date with main.");
    });

    await test.step("both runs are compared, and a report is copied and opened read-only", async () => {
      await page.keyboard.press("Alt+3");
      const list = page.getByRole("listbox", { name: "Runs" });
      await expect(list.getByRole("option")).toHaveCount(2);
      await list.focus();
      await page.keyboard.press("c");
      const compared = page.getByRole("region", { name: "Compared runs" });
      for (const words of ["Write the store beside app.ts", "Write the view"])
        await expect(compared.getByRole("columnheader", { name: words })).toBeVisible();
      await expect(compared.getByRole("row", { name: /^Cost/u })).toContainText("$");
      await scene("125-compared-runs");
      await accessible("two runs side by side");
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 1024, height: 700 });
      await scene("125-compared-runs-dark");
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light" });
      await list.focus();
      await page.keyboard.press("c");
      const search = page.getByRole("searchbox", { name: "Search the runs" });
      await search.fill("view");
      for (const value of ["", ""]) {
        await page.keyboard.press("Escape");
        await expect(search).toHaveValue(value);
      }
      await expect(page.getByRole("region", { name: "Runs", exact: true })).toBeFocused();
      await list.focus();
      await page.keyboard.press("Home");
      const report = page.getByRole("article", { name: "Report" });
      await expect(report).toContainText("Write the view");
      await report.getByRole("button", { name: "Compare with another" }).click();
      await expect(compared.getByRole("columnheader", { name: /^Write the/u })).toHaveCount(2);
      await expect(compared.getByRole("columnheader", { name: "Write the view" })).toHaveCount(1);
      await compared.getByRole("button", { name: "Stop comparing" }).click();
      await list.focus();
      await page.keyboard.press("Home");

      await report.getByRole("button", { name: "Copy as Markdown" }).click();
      await expect(app.notices).toContainText("Copied the report.");
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      for (const words of ["# ", "Write the view", "| `src/view.txt` |"]) expect(copied).toContain(words);
      const saved = page.waitForEvent("download");
      await report.getByRole("button", { name: "Save" }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toMatch(/^run-.+\.md$/u);
      expect(await readFile(await file.path(), "utf8")).toBe(copied);

      await page.keyboard.press("ControlOrMeta+k");
      await app.dialog("Command palette").getByRole("combobox").fill("bug report");
      await page.getByRole("option", { name: "Copy diagnostics" }).click();
      await expect(app.notices).toContainText("Diagnostics copied.");
      const diagnostics = await page.evaluate(() => navigator.clipboard.readText());
      expect(diagnostics).toMatch(/ command command=run\.start ms=\d+$/mu);
      expect(diagnostics).not.toContain("Write the view");

      await report.getByRole("button", { name: "Open read-only" }).click();
      const replay = page.getByRole("region", { name: "Replay" });
      await expect(replay).toBeVisible();
      await page.keyboard.press("Alt+Backspace");
      await expect(replay).toBeHidden();
    });

    await test.step("what both runs came to, by run and by model, sorted and taken along", async () => {
      await page.keyboard.press("Alt+4");
      const table = page.getByRole("region", { name: "Reports" }).getByRole("table");
      await expect(table.getByRole("row", { name: /^Write the view/u })).toBeVisible();
      await expect(table.getByRole("row", { name: /^All 2 runs/u })).toBeVisible();
      const cost = table.getByRole("columnheader", { name: "Cost" });
      await cost.getByRole("button").click();
      await expect(cost).toHaveAttribute("aria-sort", /ascending|descending/u);
      await scene("127-reports");
      await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "By model" }).click();
      await expect(table.getByRole("row", { name: /^claude-/u }).first()).toBeVisible();
      await accessible("figures over many runs");
      for (const [name, start] of [
        ["CSV", /^"?model/u],
        ["JSON", /^\{/u],
      ] as const) {
        const saved = page.waitForEvent("download");
        await page.getByRole("button", { name, exact: true }).click();
        const file = await saved;
        expect(file.suggestedFilename()).toBe(`hox-report-by-model.${name.toLowerCase()}`);
        expect(await readFile(await file.path(), "utf8")).toMatch(start);
      }
      await page.keyboard.press("Alt+4");
    });

    await test.step("at the next start the canvas has the runs that were, and each leads to its report", async () => {
      await host.stop();
      await start({ folder: root });
      await app.graph.shown();
      await page.keyboard.press("Alt+2");
      const recent = page.getByRole("list", { name: "Recent runs" });
      await expect(recent.getByRole("button")).toHaveCount(2);
      await expect(recent.locator("svg path")).not.toHaveCount(0);
      await scene("126-recent-runs");
      await accessible("the runs that were, on the canvas");
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 1024, height: 700 });
      await scene("126-recent-runs-dark");
      await recent.getByRole("button", { name: /^Write the store/u }).click();
      const report = page.getByRole("article", { name: "Report" });
      await expect(report).toContainText("src/store.txt");
      await page.keyboard.press("Control+k");
      const palette = app.dialog("Command palette");
      await palette.getByRole("combobox").fill("report on write the view");
      await expect(palette.getByRole("option", { name: /^Report on .*: Write the view/u })).toBeVisible();
      await page.keyboard.press("Enter");
      await expect(report).toContainText("src/view.txt");
    });
  } finally {
    await standIn.close();
  }
});
