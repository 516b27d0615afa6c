import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

/** One pixel, in two colours. */
const picture = (colour: "red" | "blue"): Buffer =>
  Buffer.from(
    `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn4EIAAgA${colour === "red" ? "Af8BAP8A" : "A/8BAP8B"}`,
    "base64",
  );

const longWord = "Donaudampfschiff".repeat(20);
const fromRightToLeft = "שלום לכל מי שקורא את זה";

test("a diff is read over the graph: any length, by its files, with what was seen and what is no text", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const root = await playground.repository("project", ["lay the foundation", longWord, fromRightToLeft]);
  await mkdir(join(root, "src", "app"), { recursive: true });
  await writeFile(join(root, "logo.png"), picture("red"));
  await writeFile(join(root, "data.bin"), new Uint8Array([0, 1, 2, 3]));
  await writeFile(join(root, "src", "app", "main.ts"), "export const one = 1;\n");
  await playground.jj(root, ["commit", "-m", "begin"]);
  const huge = Array.from({ length: 60_000 }, (_, at) => `let l${at} = 1;\n`).join("");
  await writeFile(join(root, "huge.ts"), huge);
  await writeFile(join(root, "logo.png"), picture("blue"));
  await writeFile(join(root, "data.bin"), new Uint8Array(3_000));
  await writeFile(join(root, "src", "app", "main.ts"), "export const one = 2;\nexport const two = 2;\n");
  await writeFile(join(root, "src", "app", "zebra.ts"), "export const last = true;\n");
  await playground.jj(root, ["describe", "-m", "write very much"]);
  const { app } = await start({ folder: root });
  const { page } = app;

  await test.step("a word that is too long ends with …, and is read whole in the inspector", async () => {
    const word = app.graph.row(longWord).getByTitle(longWord);
    const isCut = (element: Element) =>
      getComputedStyle(element).textOverflow === "ellipsis" && element.scrollWidth > element.clientWidth;
    expect(await word.evaluate(isCut)).toBe(true);
    await word.dblclick();
    await expect(app.inspector.title).toHaveAttribute("title", longWord);
    expect(await app.inspector.title.evaluate((h) => h.scrollWidth <= h.clientWidth)).toBe(true);
    const other = app.graph.row(fromRightToLeft).getByTitle(fromRightToLeft);
    expect(await other.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  });

  // Beside the graph: what comes after the large file is not lost, and what is binary says so.
  await app.graph.row("write very much").dblclick();
  await app.inspector.show("Diff");
  await expect(app.inspector.region).toContainText("Binary file: 4 bytes → 3.0 kB");
  await expect(app.inspector.region).not.toContainText("could not be parsed as a diff");
  await accessible("the diff in the inspector");
  await app.inspector.region.getByRole("button", { name: "Open the full diff" }).click();

  const wide = page.getByRole("region", { name: "Diff", exact: true });
  await expect(wide.getByRole("status")).toHaveText("0 of 5 viewed");
  const tree = wide.getByRole("navigation", { name: "Files of the change" });
  await expect(tree).toContainText("src/app");
  await expect(wide.getByRole("region", { name: "src/app/main.ts" })).toContainText("export const two = 2;");
  await scene("92-wide-diff-light");
  await accessible("the wide diff");
  await tree.getByRole("button", { name: /logo\.png/u }).click();
  await expect(wide.getByRole("region", { name: "logo.png" }).getByRole("img")).toHaveCount(2);

  await test.step("words are found in the whole diff: in a line that is not drawn, in a removed one, and in the folded file", async () => {
    const marked = () =>
      page.evaluate(() => {
        const [range] = [...(CSS.highlights.get("find") ?? [])] as Range[];
        const { top = -1, bottom = -1, height = 0 } = range?.getBoundingClientRect() ?? {};
        const isSeen = height > 0 && top >= 0 && bottom <= innerHeight;
        return range && isSeen
          ? `${range.toString()} in ${range.startContainer.parentElement?.closest("[data-line]")?.textContent?.trim()}`
          : null;
      });
    await page.keyboard.press("ControlOrMeta+f");
    const bar = wide.getByRole("search", { name: "Find in this diff" });
    const field = bar.getByRole("textbox");
    await expect(field).toBeFocused();
    await field.fill("L54321 =");
    await expect(bar.getByRole("status")).toHaveText("1 of 1");
    await expect.poll(marked).toBe("l54321 = in let l54321 = 1;");
    await scene("92c-find-in-long-file");
    await field.fill("export const");
    await expect(bar.getByRole("status")).toHaveText("1 of 4");
    await expect.poll(marked).toBe("export const in export const one = 1;");
    await page.keyboard.press("Shift+Enter");
    await expect(bar.getByRole("status")).toHaveText("4 of 4");
    await expect.poll(marked).toBe("export const in export const last = true;");
    await page.keyboard.press("F3");
    await page.keyboard.press("Enter");
    await expect(bar.getByRole("status")).toHaveText("2 of 4");
    await expect.poll(marked).toBe("export const in export const one = 2;");
    await accessible("finding in a diff");
    await page.keyboard.press("Escape");
    await expect(bar).toHaveCount(0);
    await expect(wide.locator(":focus")).toHaveCount(1);
  });

  await test.step("every file of the change is browsed by keys, and one that it touches leads back to the diff", async () => {
    await page.keyboard.press("ControlOrMeta+k");
    await app.dialog("Command palette").getByRole("combobox").fill("browse the files");
    await page.keyboard.press("Enter");
    const files = page.getByRole("tree", { name: "Files" });
    await expect(files.getByRole("treeitem").first()).toContainText("src");
    await files.focus();
    await page.keyboard.press("ArrowRight");
    await expect(files.getByRole("treeitem", { name: "app" })).toHaveAttribute("aria-level", "2");
    await scene("92d-files-of-the-repository");
    await accessible("the files of the repository");
    await page.getByRole("textbox", { name: "Filter files" }).fill("ZEBRA");
    await expect(files.getByRole("treeitem")).toHaveCount(1);
    await expect(files.getByRole("treeitem")).toContainText("src/app/zebra.ts");
    await files.focus();
    await page.keyboard.press("d");
    await expect(wide.getByRole("region", { name: "src/app/zebra.ts" })).toBeInViewport();
  });

  await test.step("a line and a change are opened elsewhere: this window is on no screen of the host", async () => {
    await tree.getByRole("button", { name: /main\.ts/u }).click();
    const opener = wide.getByRole("button", { name: "Open this line in the editor" });
    for (const colorScheme of ["dark", "light"] as const)
      for (const [name, line] of [
        ["zebra", "export const last = true;"],
        ["main", "export const two = 2;"],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.mouse.move(0, 0);
        await expect(opener).toHaveCount(0);
        await wide.getByText(line).first().hover();
        await expect(opener).toBeVisible();
        await scene(`92a-line-buttons-${name}-${colorScheme}`);
        const cutOff = await opener.evaluate((button) => {
          const number = button.closest("[slot]")?.assignedSlot?.closest("[data-column-number]");
          if (!number) throw new Error("the button is at no line number");
          return number.getBoundingClientRect().left - button.getBoundingClientRect().left;
        });
        expect(cutOff, `${name}: all of it is seen beside a number of one digit`).toBeLessThanOrEqual(0);
      }
    await opener.click();
    const where = page.getByRole("dialog", { name: "Open in your editor" });
    await expect(where).toContainText(join(root, "src", "app", "main.ts"));
    await expect(where).toContainText("--goto");
    await expect(where).toContainText("main.ts:2");
    await scene("92b-open-elsewhere");
    await accessible("where a file is");
    await page.keyboard.press("Escape");
    await expect(where).toHaveCount(0);
    await wide.getByRole("button", { name: "Open src/app/zebra.ts in the editor" }).click();
    await expect(where).toContainText("zebra.ts");
    await expect(where.locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(where).toHaveCount(0);
    await page.keyboard.press("Alt+t");
    const terminal = page.getByRole("dialog", { name: "Open in your terminal" });
    await expect(terminal).toContainText(`cd ${root}`);
    // Else the key would close the diff.
    await expect(terminal.locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(terminal).toHaveCount(0);
  });

  await test.step("by keys: a line is opened, and commented on where no agent works", async () => {
    await tree.getByRole("button", { name: /main\.ts/u }).click();
    const main = wide.getByRole("region", { name: "src/app/main.ts" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = main.locator("[data-line][data-selected-line]");
    await expect(chosen).toContainText("export const two = 2;");
    await page.keyboard.press("o");
    const where = page.getByRole("dialog", { name: "Open in your editor" });
    await expect(where).toContainText("main.ts:2");
    // Else the key would be the diff's.
    await expect(where.locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(where).toHaveCount(0);
    // The focus comes back a moment after the dialog is gone.
    await expect.poll(() => wide.evaluate((diff) => diff.contains(document.activeElement))).toBe(true);
    // From the last line of a file to the first one of the next, and back.
    await page.keyboard.press("ArrowDown");
    await expect(wide.getByRole("region", { name: "src/app/zebra.ts" })).toHaveAttribute(
      "data-current",
      "true",
    );
    await page.keyboard.press("ArrowUp");
    // Typed at once: E, V and O would be keys of the page.
    await page.keyboard.type("cvoe: Two of what?");
    const form = main.getByRole("form", { name: "Comment on line 2" });
    await expect(form).toContainText("no agent would read a comment");
    await expect(form.getByRole("textbox", { name: "Comment" })).toHaveValue("voe: Two of what?");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await form.getByRole("textbox", { name: "Comment" }).fill("Two of what?");
    await scene("92c-comment-without-a-run");
    await accessible("a comment that waits");
    await form.getByRole("button", { name: "Save as idea" }).click();
    await expect(form).toHaveCount(0);
    await page.keyboard.press("c");
    await form.getByRole("textbox", { name: "Comment" }).fill("Two of what?");
    await page.keyboard.press("ControlOrMeta+Enter");
    const start = page.getByRole("dialog", { name: "Start a run" });
    const goal = "In src/app/main.ts, line 2 of “write very much”: Two of what?";
    await expect(start.getByRole("textbox", { name: "Goal" })).toHaveValue(goal);
    await expect(start.getByRole("textbox", { name: "Build on" })).not.toHaveValue("");
    await expect(start.getByRole("region", { name: "Ideas" })).toContainText(goal);
    await scene("92d-run-from-a-comment");
    await page.keyboard.press("Escape");
    await expect(start).toHaveCount(0);

    // No run was started: the comment is at its line as before, and keeps what was typed in the dialog.
    await page.keyboard.press("c");
    await expect(form.getByRole("textbox", { name: "Comment" })).toHaveValue("Two of what?");
    await page.keyboard.press("ControlOrMeta+Enter");
    await start.getByRole("textbox", { name: "Goal" }).fill(`${goal} Say it.`);
    await page.keyboard.press("Escape");
    await expect(start).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(start.getByRole("textbox", { name: "Goal" })).toHaveValue(`${goal} Say it.`);
    await start.getByRole("textbox", { name: "Goal" }).fill("");
    await page.keyboard.press("Escape");
    await expect(start).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+Enter");
    for (const field of ["Goal", "Build on"])
      await expect(start.getByRole("textbox", { name: field }), "a run of one's own").toHaveValue("");
    await page.keyboard.press("Escape");
    await expect(start).toHaveCount(0);
  });

  // 60,000 lines: the last one is reached, and never more is drawn than a few screens.
  await tree.getByRole("button", { name: /huge\.ts/u }).click();
  const file = wide.getByRole("region", { name: "huge.ts" });
  await expect(file).toContainText("let l3 = 1;");
  expect(await file.locator("[data-line]").count()).toBeLessThan(3_000);
  await file.evaluate((element) => {
    const scroller = element.parentElement?.parentElement;
    if (scroller) scroller.scrollTop += element.getBoundingClientRect().height - 500;
  });
  await expect(file).toContainText("let l59999 = 1;");

  // What was seen folds itself, also after a reload, until the file is another one.
  await tree.getByRole("textbox", { name: "Find a file" }).fill("main");
  await tree.getByRole("button", { name: /main\.ts/u }).click();
  const main = wide.getByRole("region", { name: "src/app/main.ts" });
  await main.getByRole("checkbox", { name: "Viewed" }).check();
  await expect(wide.getByRole("status")).toHaveText("1 of 5 viewed");
  await expect(main).not.toContainText("export const two = 2;");
  await page.keyboard.press("Escape");
  await expect(wide).toHaveCount(0);
  const viewedFiles = [{ files: { "src/app/main.ts": expect.any(String) } }];
  await expect(async () => expect(await playground.preferences()).toMatchObject({ viewedFiles })).toPass();
  await page.reload();
  await app.graph.row("write very much").click();
  await page.keyboard.press("Alt+r");
  await expect(wide.getByRole("status")).toHaveText("1 of 5 viewed");
  await wide.getByRole("button", { name: "Collapse all files" }).click();
  await page.setViewportSize({ width: 1024, height: 700 });
  await page.emulateMedia({ colorScheme: "dark" });
  await wide.getByRole("button", { name: "Expand data.bin" }).click();
  await scene("93-wide-diff-dark-small");
  await writeFile(join(root, "src", "app", "main.ts"), "export const one = 3;\nexport const three = 2;\n");
  await playground.jj(root, ["util", "snapshot"]);
  await expect(wide.getByRole("status")).toHaveText("0 of 5 viewed");
});
