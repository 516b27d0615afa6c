import { join } from "node:path";
import type { App } from "./pages/app.ts";
import { expect, test } from "./test.ts";

/** To the end of the rehearsal's work: what it asks on the way is answered as it suggests. */
async function untilLearned(app: App): Promise<void> {
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  const question = await app.inbox.waitFor("align-request");
  await question.getByRole("button", { name: /user_id/u }).click();
  await app.inbox.approve("mutation");
  await app.inbox.waitFor("pattern");
}

test("a pattern is edited on its card, approved, seen in the library and suggested to the next run, retired and restored", async ({
  start,
  scene,
  playground,
}) => {
  const { app } = await start();
  const { page, inbox, inspector } = app;
  await untilLearned(app);

  // In a person's own words: the gates run again, and what they refuse is not approved.
  const card = inbox.card("pattern").first();
  const text = card.getByRole("textbox", { name: "Text of the pattern" });
  const approve = card.getByRole("button", { name: /^Approve/u });
  const title = (await card.locator(".prose-hox h1").first().textContent()) ?? "";
  expect(title).not.toBe("");
  const rewrite = async (added: string): Promise<void> => {
    await card.getByRole("button", { name: "Edit" }).click();
    const before = (await text.inputValue()).replace(/\n+(?:Skip the tests\.|Name the owner.*)\n*$/u, "");
    await text.fill(`${before.trimEnd()}\n\n${added}\n`);
    await card.getByRole("button", { name: /^Run the gates/u }).click();
    await expect(text).toHaveCount(0);
  };
  await rewrite("Skip the tests.");
  await expect(card.locator("[data-gate=failed]")).toHaveCount(1);
  await expect(approve).toBeDisabled();
  await rewrite("Name the owner of each shared word.");
  await expect(card.locator("[data-gate=failed]")).toHaveCount(0);
  await expect(card.getByText("Name the owner of each shared word.")).toBeVisible();
  await scene("101-pattern-edited-on-its-card");
  await inbox.approve("pattern");
  await (await inbox.waitFor("land")).getByRole("button", { name: "Land on main" }).click();
  await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();

  // What an agent's work came to, part by part.
  await app.graph.row("Profile API").first().dblclick();
  await inspector.show("Figures");
  const score = inspector.region.getByRole("region", { name: "Score" });
  await expect(score.locator("[data-score-part=time]")).toContainText("no earlier complete run");
  await expect(inspector.region.locator("[data-time=thinking]")).toBeVisible();
  await expect(inspector.region.locator("[data-calls]").first()).toBeVisible();
  await scene("102-figures-of-an-agent");

  // In the library, with where it comes from.
  await page.keyboard.press("Alt+5");
  const library = page.getByRole("region", { name: "Patterns", exact: true });
  const list = library.getByRole("listbox", { name: "Patterns" });
  await expect(list.getByRole("option")).toHaveCount(1);
  await expect(list.getByRole("option").first()).toHaveAttribute("data-state", "approved");
  const detail = library.getByRole("article", { name: title });
  await expect(detail.getByText("Name the owner of each shared word.")).toBeVisible();
  await expect(detail.getByRole("region", { name: "About it" })).toContainText("Learned from“");
  await scene("103-pattern-library");
  await list.focus();
  await page.keyboard.press("Enter");
  await expect(detail).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(list).toBeFocused();

  // Changed in the library: a preview with gates and diff, then the next version.
  await detail.getByRole("button", { name: "Edit…" }).click();
  const editor = detail.getByRole("textbox", { name: "Text of the pattern" });
  await editor.fill((await editor.inputValue()).replace("Name the owner of each", "Say who owns each"));
  await expect(detail.locator("[data-line=added]")).toHaveText(/Say who owns each shared word\./u);
  await expect(detail.locator("[data-line=removed]")).toHaveCount(1);
  await scene("104-pattern-edited-in-the-library");
  await detail.getByRole("button", { name: /^Approve as version 2/u }).click();
  await expect(detail.getByText("approved, version 2")).toBeVisible();
  await detail.locator("[data-version='2']").getByRole("button", { name: "What changed" }).click();
  await expect(detail.locator("[data-version='2'] [data-line=added]")).toHaveCount(1);

  // Retired with a reason, and brought back.
  const said = (): Promise<string> =>
    playground.jj(join(playground.state, "rehearsals", "profiles-1"), [
      ...["file", "list", "-r", "hox-patterns"],
    ]);
  await detail.getByRole("button", { name: "Retire…" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Why?" }).fill("It names no files.");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(detail.getByText("It was retired: It names no files.")).toBeVisible();
  expect(await said()).toBe("");
  await scene("105-pattern-retired");
  await detail.getByRole("button", { name: "Restore" }).first().click();
  await expect(detail.getByText("approved, version 2")).toBeVisible();
  expect(await said()).toMatch(/^patterns\//u);

  // Back on the graph, and put before whoever writes the next goal.
  await list.focus();
  await page.keyboard.press("Escape");
  await expect(library).toHaveCount(0);
  await page.getByRole("button", { name: "Start a run" }).click();
  const dialog = page.getByRole("dialog", { name: "Start a run" });
  await dialog.getByRole("textbox", { name: "Goal" }).fill("Add user addresses: an API, a client and tests");
  const suggested = dialog.locator("[data-suggested]");
  await expect(suggested).toHaveCount(1);
  await expect(suggested).toContainText(title);
  await expect(suggested).toContainText(/the same kind of work|written in|it is for any work/u);
  await scene("106-pattern-suggested");
  await suggested.getByRole("button").click();
  await expect(detail).toBeVisible();
  await library.getByRole("button", { name: "Back to the graph" }).click();
  await page.getByRole("button", { name: "Start a run" }).click();
  await expect(dialog.getByRole("textbox", { name: "Goal" })).toHaveValue(/^Add user addresses/u);
});
