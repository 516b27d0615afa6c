import { randomBytes } from "node:crypto";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { calmAgents } from "../src-main/engine/testing/three-agents-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { readRecordingFile, writeRecordingFile } from "../src-main/replay/recording-file.ts";
import { maxRecordingBytes, uploadPartBytes } from "../src-shared/contract/commands/replay.ts";
import { expect, test } from "./test.ts";

const goal = "Keep users";

const bar = (page: Page) => page.getByRole("region", { name: "Replay" });
const track = (page: Page) => bar(page).getByRole("slider", { name: "Time of the replay" });
const moment = (page: Page) => bar(page).getByTestId("replay-moment");

/** Moves the time with the mouse: to so much of its length. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await track(page).boundingBox();
  if (!box) throw new Error("There is no track.");
  const at = (share: number) => [box.x + 2 + (box.width - 4) * share, box.y + box.height / 2] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 8 });
  await page.mouse.up();
}

/** The same recording with so much random text in it that its file needs several parts to upload. */
function padded(file: Uint8Array): Uint8Array {
  const recording = readRecordingFile(file);
  const { startedAt: at, conversations } = recording;
  const padding = [0, 1].map((index) => ({
    ...({ kind: "notice", index, at } as const),
    text: randomBytes(2_400_000).toString("base64"),
  }));
  const bytes = writeRecordingFile({ ...recording, conversations: { ...conversations, padding } }, "test");
  expect(bytes.byteLength).toBeGreaterThan(3 * uploadPartBytes);
  return bytes;
}

test("a run that is over is watched again, by mouse and by keys, taken along as a file, and left where one was", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({ script: calmAgents });
  playground.answeredBy(standIn);
  try {
    const root = await playground.configuredRepository(
      "project",
      '[backpressure]\nfast_checks = []\nslow_checks = []\npreflight = "off"\n[workflow]\nlearning = "off"\npanel = "off"\n[gates]\nland = "auto"\n',
    );
    const { app } = await start({ folder: root });
    const { page, inbox, graph } = app;
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Goal").fill(goal);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    // From wherever one is, by two keys.
    await expect(page.getByRole("button", { name: /^Inbox, 1/u })).toBeVisible();
    await page.keyboard.press("Alt+i");
    await expect(inbox.card("plan").getByRole("button", { expanded: true }).first()).toBeFocused();
    await page.keyboard.press("a");
    await expect(inbox.card("plan")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });

    await app.operations.open();
    const avatars = app.operations.region.getByRole("img", { name: /^(?:O-A-1|agent-1|integrator)$/u });
    await expect(avatars.first()).toBeVisible();
    await scene("98-avatars");
    const tooWide = await avatars.evaluateAll((all) =>
      all.flatMap((avatar) => {
        const signs = document.createRange();
        signs.selectNodeContents(avatar);
        const { width } = signs.getBoundingClientRect();
        // Signs of 11 px are 8 px high: so wide is the circle where they begin and end.
        const room = 2 * Math.sqrt((avatar.clientWidth / 2) ** 2 - 4 ** 2);
        return width < room - 1 ? [] : [`${avatar.textContent}: ${width} px of ${room}`];
      }),
    );
    expect([...new Set(tooWide)], "signs that reach the edge of their avatar").toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await scene("98-avatars-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: "Operations", exact: true }).click();
    await expect(app.operations.region).toBeHidden();

    // Where one is: a row, the inspector, and a filter that dims.
    await graph.row("Write the view").first().click();
    await graph.filter.fill("kind(task)");
    await expect(graph.dimmed.first()).toBeVisible();
    const selected = await graph.grid.getAttribute("aria-activedescendant");
    const rowsNow = await graph.grid.getAttribute("aria-rowcount");

    // What came of it, in the list of all runs: found by a word, read as a page, and left where one was.
    await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Runs" }).click();
    const list = page.getByRole("listbox", { name: "Runs" });
    const report = page.getByRole("article", { name: "Report" });
    await expect(list.getByRole("option", { name: /Keep users/u })).toContainText("landed on main");
    await expect(report.getByRole("region", { name: "Agents" })).toContainText("Write the view");
    await expect(report.getByRole("region", { name: "What changed" })).toContainText("src/view.txt");
    await scene("99-runs");
    await accessible("the runs and a report");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("99-runs-dark-small");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("searchbox", { name: "Search the runs" }).fill("nothing of the kind");
    await expect(page.getByText("No runs match")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(report).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("region", { name: "Runs", exact: true })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(list).toHaveCount(0);

    const dialog = app.dialog("Recorded runs");
    const openRuns = async (): Promise<void> => {
      await page.keyboard.press("Control+k");
      const palette = app.dialog("Command palette");
      await palette.getByRole("combobox").fill("Recorded runs");
      await palette.getByRole("option", { name: "Recorded runs" }).click();
      await expect(dialog).toBeVisible();
    };
    await openRuns();
    await expect(dialog.getByRole("listitem")).toHaveCount(1);
    await expect(dialog.getByRole("listitem")).toContainText("complete");
    await expect(dialog.getByRole("listitem")).toContainText(/\$\d+\.\d\d/u);
    await scene("100-recorded-runs");
    await accessible("recorded runs");

    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Export…" }).click();
    const file = join(playground.folder, "run.hoxrun");
    await (await download).saveAs(file);
    await expect(dialog.getByRole("status")).toContainText("Replay it on any machine");
    const broken = join(playground.folder, "broken.hoxrun");
    await writeFile(broken, (await readFile(file)).subarray(0, -40));
    await dialog.getByLabel("A recording").setInputFiles(broken);
    await expect(dialog.getByRole("alert")).toContainText("The recording is incomplete");
    await scene("101-recorded-runs-refused");
    const huge = join(playground.folder, "huge.hoxrun");
    await writeFile(huge, "");
    await truncate(huge, maxRecordingBytes + 1);
    await dialog.getByLabel("A recording").setInputFiles(huge);
    await expect(dialog.getByRole("alert")).toContainText("recordings are at most 64 MB");

    await dialog.getByRole("button", { name: "Replay" }).click();
    await expect(dialog).toBeHidden();
    await expect(bar(page)).toContainText("Recording");
    await expect(page.getByRole("note")).toContainText("Replay, read-only");
    // What was asked for has the focus, and its keys work.
    await expect(graph.grid).toBeFocused();
    await page.keyboard.press("Space");
    await expect(bar(page).getByRole("button", { name: "Play the replay" })).toBeVisible();

    // By mouse: at the beginning the plan has no change yet; at the end all of it is there again.
    await expect(graph.filter).toBeDisabled();
    await graph.grid.focus();
    await drag(page, 0.5, 0);
    await expect(graph.row("Write the view")).toHaveCount(0);
    await expect(graph.grid, "the track gives the keys back").toBeFocused();
    await drag(page, 0, 1);
    await expect(graph.row("Write the view").first()).toBeVisible();

    // By keys: from moment to moment, said to who listens.
    await page.keyboard.press("Alt+b");
    await expect(bar(page).getByTestId("replay-time")).toHaveText(/^0:00/u);
    const first = await moment(page).textContent();
    await page.keyboard.press("Alt+.");
    await expect(moment(page)).not.toHaveText(first ?? "");
    await track(page).focus();
    for (let presses = 0; presses < 60; presses++) {
      if (/approved/u.test((await moment(page).textContent()) ?? "")) break;
      await page.keyboard.press("ArrowRight");
    }
    await expect(moment(page)).toContainText("has its plan approved");
    await expect(bar(page).getByRole("status")).toContainText("has its plan approved");
    await expect(track(page)).toHaveAttribute("aria-valuetext", /of .*: O-A-1 has its plan approved/u);
    await expect(bar(page).locator("[data-mark=decision]").first()).toBeAttached();
    await expect(bar(page).locator("[data-mark=votes]").first()).toBeAttached();
    await page.keyboard.press("Alt+n");
    await drag(page, 1, 0.55);
    await scene("102-replay");
    await accessible("a replay");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await app.fits();
    await scene("103-replay-dark");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });

    // Nothing of it can be changed.
    await expect(page.getByRole("button", { name: "Start a run" })).toBeHidden();
    await graph.row("Write the").first().click({ button: "right" });
    await expect(page.getByRole("menuitem", { name: "Show in the inspector" })).toBeVisible();
    await expect(page.getByRole("menuitem", { name: /Abandon|description|Rebase|Status/u })).toHaveCount(0);
    await page.keyboard.press("Escape");

    await bar(page).getByRole("button", { name: "Back to now" }).click();
    await expect(bar(page)).toBeHidden();
    await expect(graph.filter).toHaveValue("kind(task)");
    await expect(graph.dimmed.first()).toBeVisible();
    await expect(graph.grid).toHaveAttribute("aria-activedescendant", selected ?? "");
    await expect(graph.grid).toHaveAttribute("aria-rowcount", rowsNow ?? "");
    await page.mouse.move(0, 0);
    await scene("104-after-the-replay");

    // The file tells the same without the journal, also one that fits into no message.
    await openRuns();
    const large = join(playground.folder, "large.hoxrun");
    await writeFile(large, padded(await readFile(file)));
    await dialog.getByLabel("A recording").setInputFiles(large);
    await expect(bar(page)).toContainText("Recording");
    await page.keyboard.press("Alt+n");
    await expect(graph.row("Write the view").first()).toBeVisible();
    await page.keyboard.press("Alt+Backspace");
    await expect(bar(page)).toBeHidden();
  } finally {
    await standIn.close();
  }
});
