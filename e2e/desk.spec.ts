import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

/** Long enough for history to fold, with subjects that no row has room for. */
const history = Array.from(
  { length: 14 },
  (_, at) => `Change number ${at}: ${"a subject that goes on and on, as real ones do, ".repeat(4)}`,
);

test("the desk of a user: keys lead where they say, a fold is one line, and the window comes up as it was left", async ({
  start,
  playground,
  page,
  scene,
  accessible,
}) => {
  const one = await playground.repository("one", history);
  await playground.jj(one, ["bookmark", "create", "main", "-r", "@-"]);
  await playground.jj(one, ["config", "set", "--repo", 'revset-aliases."immutable_heads()"', "main"]);
  const two = await playground.repository("two", ["only this", "שלום לכל הקוראים"]);
  const copies = ["profiles-1", "profiles-2"].map((name) => join(playground.state, "rehearsals", name));
  for (const copy of copies) await mkdir(copy, { recursive: true });
  const opened = [copies[0], one, copies[1]].map((path, at) => ({
    path,
    openedAt: Date.now() - at * 60_000,
  }));
  await writeFile(join(playground.state, "recent.json"), JSON.stringify(opened));
  const first = await start();
  const { app } = first;

  await test.step("the welcome has the focus on its first thing", async () => {
    await expect(app.welcome).toBeFocused();
  });

  await test.step("past rehearsals are collapsed below the repositories, and each can be removed and put back", async () => {
    const recent = page.getByRole("region", { name: "Recent" }).getByRole("listitem");
    await expect(recent).toHaveCount(1);
    await expect(recent).toContainText("one");
    const past = page.getByRole("list", { name: "Past rehearsals" });
    await expect(past).toBeHidden();
    await page.getByText("Past rehearsals").click();
    await expect(past.getByRole("listitem")).toHaveCount(2);
    await scene("119-past-rehearsals");
    await page.getByRole("button", { name: "Remove profiles-1 from the list" }).focus();
    await page.keyboard.press("Delete");
    await expect(past.getByRole("listitem")).toHaveCount(1);
    await expect(page.getByRole("button", { name: "Remove profiles-2 from the list" })).toBeFocused();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(past.getByRole("listitem").first()).toContainText("profiles-1");
    await expect(past.getByRole("listitem")).toHaveCount(2);
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
    expect(inside, "it covers none of its neighbours").toBe(true);
    await scene("120-fold-rows");
  });

  await test.step("words are searched for: a fold says what it holds, opens it, or steps back", async () => {
    await app.graph.filter.fill("number 5");
    await expect(app.graph.row("Change number 5:")).toBeVisible();
    await expect(app.graph.grid.locator('[data-row-key^="fold:"][data-dimmed]').first()).toBeVisible();
    await expect(page.getByText("1 found", { exact: true })).toBeVisible();
    await scene("121-search-words");
    await accessible("the log and a search");
    // Its files are named by what the repository holds and nothing on screen says.
    await app.graph.filter.fill("file-7.txt");
    await expect(app.graph.row("Change number 7:")).toBeVisible();
    await expect(page.getByText("1 found", { exact: true })).toBeVisible();
  });

  await test.step("a revset is recognised and completed, and a mistake offers the words", async () => {
    await app.graph.filter.fill("mut");
    const options = page.getByRole("listbox", { name: "Completions" });
    await expect(options.getByRole("option").first()).toContainText("mutable()");
    await scene("122-completion");
    await accessible("the completions of the filter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(app.graph.filter).toHaveValue("mutable()");
    await expect(page.getByText(/^\d found$/u)).toBeVisible();
    await app.graph.filter.fill("number(5");
    await app.graph.filterProblem.getByRole("button", { name: "Search for this text" }).click();
    await expect(app.graph.filter).toHaveValue('"number(5"');
    await expect(page.getByText("0 found", { exact: true })).toBeVisible();
  });

  await test.step("a filter is saved under a name", async () => {
    await app.graph.filter.fill("number 13");
    await page.getByRole("button", { name: "Suggested filters" }).click();
    await page.getByRole("menuitem", { name: "Save this filter…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("The newest");
    await page.keyboard.press("Enter");
    await expect(app.dialog("Save this filter")).toHaveCount(0);
    await app.graph.filter.fill("");
    await page.getByRole("button", { name: "Suggested filters" }).click();
    await page.getByRole("menuitemcheckbox", { name: "The newest" }).click();
    await expect(app.graph.filter).toHaveValue("number 13");
    await app.graph.filter.fill("");
  });

  await test.step("a click shows the change, also while the inbox is in front", async () => {
    await app.inbox.open();
    await app.graph.row("Change number 13").click();
    await expect(app.inspector.title).toContainText("Change number 13");
  });

  await test.step("settings, keys and palette pass the accessibility checks", async () => {
    await page.keyboard.press("ControlOrMeta+,");
    await expect(app.dialog("Settings")).toBeVisible();
    await accessible("settings");
    const look = app.dialog("Settings").getByRole("region", { name: "Appearance" });
    const sizeOf = () => look.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    const before = await sizeOf();
    for (let at = 0; at < 2; at += 1) await look.getByRole("button", { name: "Larger text" }).click();
    await look.getByRole("button", { name: "Compact" }).click();
    await expect.poll(sizeOf, "text is two px larger").toBe(before + 2);
    await expect(page.locator("html")).toHaveAttribute("data-density", "compact");
    for (let at = 0; at < 2; at += 1) await look.getByRole("button", { name: "Smaller text" }).click();
    await expect.poll(sizeOf).toBe(before);
    await look.getByRole("button", { name: "Larger text" }).click();
    const openers = app.dialog("Settings").getByRole("region", { name: "Open in" });
    await openers.getByLabel("Editor", { exact: true }).selectOption("Custom command…");
    const command = openers.getByLabel("Command of the editor");
    await command.fill('"/opt/my editor" {path}:{line}');
    await command.press("Enter");
    await openers.scrollIntoViewIfNeeded();
    await scene("122-open-in-settings");
    await page.keyboard.press("Escape");
    await expect(app.dialog("Settings")).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+,");
    await expect(command, "the host keeps it").toHaveValue('"/opt/my editor" {path}:{line}');
    // Only then the key is the dialog's.
    await expect(app.dialog("Settings").locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(app.dialog("Settings")).toHaveCount(0);
    await page.keyboard.press("?");
    await expect(
      app.dialog("Keyboard shortcuts").getByRole("region", { name: "Zoom (browser)" }),
    ).toContainText("Ctrl");
    for (const place of [
      "In the graph",
      "On the canvas of a run",
      "In the inbox",
      "In the queue",
      "In a diff",
    ])
      await expect(app.dialog("Keyboard shortcuts").getByRole("region", { name: place })).toBeVisible();
    await scene("123-keys");
    await accessible("the keys");

    const keyHelp = app.dialog("Keyboard shortcuts");
    const search = keyHelp.getByRole("searchbox", { name: "Search the shortcuts" });
    const count = keyHelp.getByRole("status");
    await expect(search).toBeFocused();
    await expect(count).toHaveText(/^\d{3} shortcuts$/u);
    await page.keyboard.type("ctrl+k");
    await expect(keyHelp.getByRole("term")).toHaveText(["Command palette"]);
    await expect(count).toHaveText(/^1 of \d{3} shortcuts$/u);
    await search.fill("palette");
    await expect(keyHelp.getByRole("term").first()).toHaveText("Command palette");
    await scene("123-keys-found");
    await accessible("keys that were searched for");
    await search.fill("nothing of this kind");
    await expect(keyHelp.getByRole("term")).toHaveCount(0);
    await expect(keyHelp).toContainText("No shortcut matches “nothing of this kind”");
    await expect(count).toHaveText(/^0 of \d{3} shortcuts$/u);
    await page.emulateMedia({ colorScheme: "dark" });
    await scene("123-keys-none-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.keyboard.press("Escape");
    await expect(search).toHaveValue("");
    await expect(search).toBeFocused();
    // Arrows still move the list, which has no other way to be read by keyboard alone.
    const top = (): Promise<number> =>
      keyHelp.getByRole("region", { name: "Everywhere" }).evaluate((it) => it.getBoundingClientRect().top);
    const topBefore = await top();
    await page.keyboard.press("PageDown");
    await expect.poll(top).toBeLessThan(topBefore);
    await page.keyboard.press("Escape");
    await expect(keyHelp).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+k");
    await expect(app.dialog("Command palette")).toBeVisible();
    await accessible("the palette");
    await app.dialog("Command palette").getByRole("combobox").fill("rehearsal");
    await expect(app.dialog("Command palette").getByRole("option", { name: "Tide warnings" })).toBeVisible();
    for (const words of ["recorded", "recorded run"]) {
      await app.dialog("Command palette").getByRole("combobox").fill(words);
      const best = app.dialog("Command palette").getByRole("option").first();
      await expect(best, "the whole word, and not letters of others").toHaveText("Recorded runs…");
      await expect(best).toHaveAttribute("aria-selected", "true");
    }
    await scene("124-palette-best-first");
    const palette = app.dialog("Command palette");
    for (const words of ["the", "log", "change"]) {
      await palette.getByRole("combobox").fill("");
      await palette.getByRole("combobox").pressSequentially(words);
      const first = palette.getByRole("option").first();
      await expect(first, `the first answer to “${words}”`).toHaveAttribute("aria-selected", "true");
      await expect(first, "what Enter does is in sight").toBeInViewport({ ratio: 0.9 });
    }
    await palette.getByRole("combobox").fill("undo cost");
    await expect(palette.getByRole("option")).toHaveText(/^No command or change matches “undo cost”/u);
    await accessible("the palette without an answer");
    await page.keyboard.press("Escape");
    await expect(app.dialog("Command palette")).toHaveCount(0);
  });

  await test.step("whatever is closed gives the focus back to what opened it", async () => {
    for (const [name, dialog] of [
      ["Command palette", "Command palette"],
      ["Settings", "Settings"],
      ["Start a run", "Start a run"],
    ] as const) {
      const opener = page.getByRole("button", { name, exact: true });
      await opener.focus();
      await page.keyboard.press("Enter");
      await expect(app.dialog(dialog)).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(app.dialog(dialog)).toHaveCount(0);
      await expect(opener, name).toBeFocused();
    }
    await app.graph.grid.focus();
    for (const [keys, dialog] of [
      ["?", "Keyboard shortcuts"],
      ["ControlOrMeta+Enter", "Start a run"],
      ["ControlOrMeta+o", "Open a repository"],
    ] as const) {
      await page.keyboard.press(keys);
      await expect(app.dialog(dialog)).toBeVisible();
      if (dialog === "Open a repository") await accessible("opening a repository");
      await page.keyboard.press("Escape");
      await expect(app.dialog(dialog)).toHaveCount(0);
      await expect(app.graph.grid, keys).toBeFocused();
    }
  });

  await test.step("what is asked for has the focus: from the palette, and from a notice", async () => {
    const choose = async (words: string): Promise<void> => {
      await page.keyboard.press("ControlOrMeta+k");
      await app.dialog("Command palette").getByRole("combobox").fill(words);
      await expect(app.dialog("Command palette").getByRole("option").first()).toBeVisible();
      await page.keyboard.press("Enter");
    };
    await choose("Filter the graph");
    await expect(app.graph.filter).toBeFocused();
    await choose("Open the inbox");
    await expect(app.inbox.region).toBeFocused();
    await choose("Change number 13");
    await expect(app.graph.grid).toBeFocused();
    // Nothing has landed here: one key says so, and who sends the words away is back at the graph.
    await page.keyboard.press("Alt+g");
    await expect(app.notices).toContainText("No landed run in this repository");
    await app.notices.getByRole("button", { name: "Dismiss" }).focus();
    await page.keyboard.press("Enter");
    await expect(app.graph.grid).toBeFocused();
  });

  await test.step("the canvas of nothing says what will be there, and has the changes as a map", async () => {
    await page.keyboard.press("Alt+2");
    const recent = page.getByRole("region", { name: "Recent runs" });
    await expect(recent.getByText("No runs yet", { exact: true })).toBeVisible();
    await scene("124-canvas-without-a-run");
    await accessible("the canvas without a run");
    await recent.getByRole("button", { name: "Show the changes as a map" }).click();
    await expect(page.getByRole("listbox", { name: "Graph" })).toBeVisible();
    await page.keyboard.press("Alt+1");
    await app.graph.grid.focus();
  });

  await test.step("Alt+I takes the focus along", async () => {
    await page.keyboard.press("Alt+i");
    await expect(app.inbox.region).toBeFocused();
  });

  await test.step("what was chosen in one repository names nothing in another", async () => {
    await app.graph.row("Change number 13").click();
    await app.graph.filter.fill("mutable()");
    await page.keyboard.press("ControlOrMeta+o");
    const path = page
      .getByRole("dialog", { name: "Open a repository" })
      .getByRole("textbox", { name: "Path" });
    // The home folder is there first.
    await expect(path).not.toHaveValue("");
    await path.fill(two);
    await page.getByRole("button", { name: "Open this folder" }).click();
    // Keys are the dialog's until it has gone.
    await expect(app.dialog("Open a repository")).toHaveCount(0);
    await expect(app.graph.row("only this")).toBeVisible();
    // A subject that is read from the right is cut at its end, on the left.
    await expect(app.graph.row("שלום").getByText("שלום לכל הקוראים")).toHaveCSS("direction", "rtl");
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
    const panes = { right: Number(width) };
    await expect(async () =>
      expect(await playground.preferences()).toMatchObject({ view: "canvas", showQueue: false, panes }),
    ).toPass();
    await first.host.stop();
    await start({ folder: two });
    await expect(page.getByRole("button", { name: "Canvas", pressed: true })).toBeVisible();
    await expect(app.queue.region).toHaveCount(0);
    await expect(edge).toHaveAttribute("aria-valuenow", width ?? "");
    await expect(page.locator("html")).toHaveAttribute("data-density", "compact");
    await page.keyboard.press("ControlOrMeta+,");
    await expect(app.dialog("Settings").getByLabel("Text size")).toHaveText("14 px");
  });
});
