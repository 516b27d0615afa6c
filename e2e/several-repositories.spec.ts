import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { done, write } from "../src-main/engine/testing/three-agents-script.ts";
import type { Scene } from "../src-main/model/stand-in/script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const asks: Scene = {
  name: "asks",
  prompt: (seen) => !seen.prompt.includes("Call it till."),
  steps: [
    {
      calls: [
        {
          tool: "align_request",
          input: { question: "What is the counter called?", options: ["desk", "till"], blocking: true },
        },
      ],
    },
  ],
};
const writes: Scene = {
  name: "writes",
  prompt: "Call it till.",
  steps: [write("src/till.txt", "the till\n"), done("The till is written.")],
};

test("another repository is opened by keyboard while an agent works; its question shows in the header and leads back to it", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({
    script: { name: "shop", routes: { "agent-1": [asks, writes] } },
    models: ["claude-sonnet-5-5"],
    pace: 0,
  });
  playground.answeredBy(standIn);
  try {
    const shop = await playground.configuredRepository(
      "shop",
      '[backpressure]\nfast_checks = ["true"]\nslow_checks = []\npreflight = "off"\n\n[run]\nquick = true\n',
    );
    const notes = await playground.repository("notes", ["the first note"]);
    const recent = [{ path: notes, openedAt: Date.now() }];
    await writeFile(join(playground.state, "recent.json"), JSON.stringify(recent));

    const release = standIn.hold(() => true);
    const { app } = await start({ folder: shop });
    const { page, graph, inbox } = app;
    const header = page.getByRole("banner");
    await graph.shown();
    await page.keyboard.press("Control+Enter");
    await page.getByLabel("Goal").fill("Write the till");
    await page.keyboard.press("Control+Enter");
    await expect(app.dialog("Start a run")).toBeHidden();
    await expect(app.control("Pause")).toBeVisible();

    // By keyboard to another one; the run is not paused by that.
    await header.getByRole("button", { name: "shop", exact: true }).focus();
    await page.keyboard.press("Enter");
    // The keys are the menu's once one of its items has the focus.
    await expect(page.locator("[role=menuitem]:focus")).toHaveCount(1);
    await page.keyboard.press("n");
    await expect(page.getByRole("menuitem", { name: "notes" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(header.getByRole("button", { name: "notes", exact: true })).toBeVisible();
    await expect(graph.row("the first note")).toBeVisible();
    await expect(app.control("Pause")).toHaveCount(0);
    await header.getByRole("button", { name: "notes", exact: true }).click();
    await expect(page.getByRole("menuitem", { name: /^shop works/u })).toBeVisible();
    await page.keyboard.press("Escape");
    release();

    // Its question is shown as a notification, and counts in the title.
    const elsewhere = header.getByRole("button", { name: "1 in shop waiting for you" });
    await expect(elsewhere).toBeVisible();
    await expect(page).toHaveTitle("(1) notes – Hox");
    await expect(app.notices).toContainText("Question: waiting for you in shop");
    await scene("195-waits-elsewhere");
    await accessible("a question that waits in another repository");
    await header.getByRole("button", { name: "notes", exact: true }).click();
    await expect(page.getByRole("menuitem", { name: /^shop question waiting for you/u })).toBeVisible();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("196-repositories-dark");
    await app.fits();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await app.dialog("Command palette").getByRole("combobox").fill("shop");
    await expect(page.getByRole("option", { name: "Go to shop — question waiting for you" })).toBeVisible();
    await scene("197-repositories-palette");
    await page.keyboard.press("Escape");

    // A click leads to the card, in its own repository, and a reload stays there.
    await elsewhere.click();
    await expect(header.getByRole("button", { name: "shop", exact: true })).toBeVisible();
    const card = inbox.card("align-request");
    await expect(card.getByText("What is the counter called?").first()).toBeVisible();
    await expect(card.locator("h3 button")).toBeFocused();
    await page.reload();
    await expect(header.getByRole("button", { name: "shop", exact: true })).toBeVisible();
    const question = await inbox.waitFor("align-request");
    await question.getByLabel("Another answer").fill("Call it till.");
    await question.getByRole("button", { name: "Answer", exact: true }).click();

    // Closing it says what that does.
    await header.getByRole("button", { name: "shop", exact: true }).click();
    await page.getByRole("menuitem", { name: "Close shop" }).click();
    const asked = app.dialog("Close shop?");
    await expect(asked).toContainText("It stays paused until you open shop again");
    await scene("198-close-repository");
    await asked.getByRole("button", { name: "Cancel" }).click();
    await inbox.waitFor("land");
  } finally {
    await standIn.close();
  }
});
