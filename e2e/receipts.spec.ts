import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

test.use({ tour: "open" });

test("the rehearsal with forks by clicking: a clone, a fork for an agent's question, a choice, a suggestion, landing", {
  tag: "@long",
}, async ({ start, scene, playground }) => {
  const { app } = await start({ pace: 4 });
  const { page, inbox, inspector } = app;
  await app.watchRehearsal("Two ways to write an amount");
  await inbox.approve("plan");

  const question = await inbox.waitFor("align-request");
  await expect(question).toContainText("How shall an amount be written?");
  const tour = page.getByRole("complementary", { name: "Tour" });
  await expect(tour, "what the rehearsal promises is asked for").toContainText("Fork an agent");
  await tour.getByRole("button", { name: "Show me" }).click();
  await page.mouse.move(0, 0);
  const forkButton = inspector.region.locator("[aria-label^='Fork from here: turn']").last();
  await expect(forkButton, "also where no pointer is").toBeInViewport();
  expect(await forkButton.evaluate((it) => it.getBoundingClientRect().width)).toBeGreaterThan(40);
  await scene("80-question-with-two-answers");

  // The clone that searched is listed below its caller, with its cost so far.
  await app.graph.row("Write amounts with their currency").dblclick();
  await inspector.show("Agent");
  await expect(inspector.region.getByText("agent-1-fork-1").first()).toBeVisible();
  await scene("81-clone");

  // Each call shows its result, and unfolds by keys.
  const calls = inspector.region.locator("[data-call]");
  await expect(calls.and(page.locator("[data-outcome=done]")).first()).toBeVisible();
  const search = calls
    .filter({ hasText: /^search/u })
    .or(calls.filter({ hasText: /^read_file/u }))
    .first();
  await search.focus();
  await page.keyboard.press("Enter");
  const listed = search.locator("xpath=ancestor::li[1]");
  await expect(listed.getByRole("region", { name: "Output of the call" })).toContainText(/\S/u);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.keyboard.press("c");
  await expect(page.getByText("Copied the output.")).toBeVisible();
  for (const [scheme, width, height] of [
    ["dark", 1024, 700],
    ["light", 1440, 900],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    await scene(`81-calls-${scheme}-${width}`);
  }
  await page.keyboard.press("ArrowDown");
  await expect(search).not.toBeFocused();

  const forkHere = inspector.region.getByRole("button", { name: "Fork from here: turn 3 of iteration 1" });
  await forkHere.focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "Fork from here" });
  await form
    .getByLabel("Instructions for the new attempt")
    .fill("Do not ask: put the sign in front, € 2.80.");
  await scene("82-fork-from-here");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(form).toHaveCount(0);
  await expect(app.graph.row("Write amounts with their currency")).toHaveCount(2);

  await inbox.waitFor("align-request");
  await expect(tour).toContainText("Answer a question");
  await question.getByRole("button", { name: /2\.80 EUR/u }).click();

  const suggestion = await inbox.waitFor("suggestion");
  await expect(tour).toContainText("Accept a suggestion");
  await expect(suggestion).toContainText("Test amounts below zero");
  await scene("83-suggestion");
  await suggestion.getByRole("button", { name: /^Add as task/u }).click();
  await expect(app.graph.row("Test amounts below zero")).toHaveCount(1, { timeout: 120_000 });

  const card = await inbox.waitFor("attempts");
  await expect(tour).toContainText("Choose an attempt");
  await card.getByRole("button", { name: "Compare side by side" }).click();
  const dialog = page.getByRole("dialog", { name: /2 attempts/u });
  await expect(dialog.locator("[data-attempt=agent-3]")).toContainText("currency.sign");
  await scene("84-two-ways");
  await page.keyboard.press("2");
  await expect(dialog.locator("[data-attempt=agent-3]").getByText("chosen", { exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).first().click();

  await tour.getByRole("button", { name: "Continue" }).click();
  const land = await inbox.waitFor("land");
  await land.getByRole("button", { name: "Land on main" }).click();
  await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
  await expect(tour).toContainText("both attempts are changes that you can open");
  for (const step of ["Fork an agent", "Choose an attempt", "Accept a suggestion"])
    await expect(tour.getByRole("listitem").filter({ hasText: `${step}, done` })).toHaveCount(1);
  await scene("85-landed");
  const root = join(playground.state, "rehearsals", "receipts-1");
  await playground.jj(root, ["new", "main"]);
  expect(await readFile(join(root, "src", "money.js"), "utf8")).toContain("currency.sign");
  expect(await readFile(join(root, "test", "refund.test.js"), "utf8")).toContain("amount(-150)");
});
