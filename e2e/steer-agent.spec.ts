import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

test("a task is taken in hand, given back, and given to a fresh agent, which brings it to its end", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const { app } = await start();
  const root = join(playground.state, "rehearsals", "profiles-1");
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  // Its agent has asked and waits, so it is still at work whenever a user comes to it.
  await app.inbox.waitFor("align-request");
  const client = app.graph.row("Profile client");
  const changeId = (await client.getAttribute("data-change-id")) ?? "";
  await client.dblclick();
  await expect(app.inspector.title).toHaveText("Profile client");

  await app.agent.choose("Take over");
  const dialog = app.agent.takeoverDialog("agent-2");
  await expect(dialog).toBeVisible({ timeout: 120_000 });
  // The folder is shown once its files are saved.
  const shown = dialog.locator("code").first();
  await expect(shown).toHaveAttribute("title", /agent-2/, { timeout: 60_000 });
  const folder = (await shown.getAttribute("title")) ?? "";
  await writeFile(join(folder, "NOTES.md"), "Written by hand.\n");
  await dialog.getByRole("button", { name: "Save and refresh" }).click();
  await expect(dialog.getByRole("region", { name: "Your changes" })).toContainText("NOTES.md", {
    timeout: 60_000,
  });
  await scene("77-in-your-hands");
  await accessible("a task you took over");
  await app.page.keyboard.press("Escape");
  await expect(app.inspector.region.getByText("assigned to you"), "and is said once").toHaveCount(1);
  await scene("78-in-your-hands-on-the-graph");

  await app.agent.choose("Return task…");
  await dialog.getByRole("textbox").fill("Mind the notes.");
  await dialog.getByRole("button", { name: "Return task" }).click();
  await expect(dialog).toHaveCount(0, { timeout: 60_000 });
  await expect(app.inspector.region).not.toContainText("assigned to you");

  await test.step("each dialog passes the accessibility checks and returns the focus to its opener", async () => {
    for (const [entry, name] of [
      ["Message…", "Message to agent-2"],
      ["Ask…", /^Ask agent-2/u],
      ["Undo this agent’s work…", /the work of agent-2/iu],
      ["Budget…", "Budget of agent-2"],
      ["Reassign…", "Reassign the task of agent-2"],
    ] as const) {
      await app.agent.choose(entry);
      await expect(app.dialog(name)).toBeVisible();
      await accessible(`the dialog ${entry}`);
      await app.page.keyboard.press("Escape");
      await expect(app.dialog(name)).toHaveCount(0);
      await expect(app.agent.button).toBeFocused();
    }
    const add = app.page.getByRole("button", { name: "Add a task to the run" });
    await add.focus();
    await app.page.keyboard.press("Enter");
    await expect(app.plan.form).toBeVisible();
    await accessible("a new task");
    await app.page.keyboard.press("Escape");
    await expect(app.plan.form).toHaveCount(0);
    await expect(add).toBeFocused();
  });

  await test.step("the palette lists every worker with its status, and moves the focus to the graph", async () => {
    const palette = app.dialog("Command palette");
    await app.page.keyboard.press("ControlOrMeta+k");
    await palette.getByRole("combobox").fill("go to O-A-1");
    await expect(palette.getByRole("option", { name: /^Go to O-A-1: .*phase 1 of/u })).toBeVisible();
    await palette.getByRole("combobox").fill("go to agent-2");
    const agent = palette.getByRole("option", { name: /^Go to agent-2: Profile client/u });
    await expect(agent).toBeVisible();
    await scene("78b-go-to-an-agent");
    await app.page.keyboard.press("Enter");
    await expect(app.graph.grid).toBeFocused();
    await expect(app.inspector.title).toHaveText("Profile client");
  });
  const files = ["diff", "--ignore-working-copy", "--name-only", "-r", changeId];
  expect(await playground.jj(root, files)).toContain("NOTES.md");

  await app.agent.choose("Budget…");
  const limits = app.page.getByRole("dialog", { name: "Budget of agent-2" });
  await limits.getByLabel("Cost limit ($)").fill("2.50");
  await scene("79-budget-of-one-agent");
  await limits.getByRole("button", { name: "Set" }).click();
  await expect(limits).toHaveCount(0);

  await app.agent.choose("Reassign…");
  const reassign = app.page.getByRole("dialog", { name: "Reassign the task of agent-2" });
  await reassign.getByLabel("Note for the new agent").fill("Begin with the tests.");
  await scene("80-reassign");
  await reassign.getByRole("button", { name: /^Reassign/u }).click();
  await expect(reassign).toHaveCount(0, { timeout: 120_000 });
  await expect(app.inspector.region).toContainText("agent-4", { timeout: 60_000 });
  await app.page.keyboard.press("ControlOrMeta+z");
  await expect(app.notices).toContainText("Not undone: giving the task of agent-2 to agent-4.");
  await expect(app.notices).toContainText("Reassign it again");
  const bookmarks = ["bookmark", "list", "--ignore-working-copy", "-r", changeId, "-T", 'name ++ "\\n"'];
  expect(await playground.jj(root, bookmarks)).toBe("O-A-1/agent-4\n");
  await app.inspector.show("Agent");
  await app.inspector.composer("agent-4").fill("Name the helper after what it does.");
  await app.page.keyboard.press("Enter");
  const written = app.inspector.region.getByRole("listitem", { name: "You to agent-4" });
  await expect(written).toContainText("Name the helper after what it does.");
  await expect(app.inspector.composer("agent-4")).toHaveValue("");
  await scene("81-written-where-it-is-read");
  await accessible("a conversation and its composer");
  // A comment on a line of its change, for its reviewer.
  await app.page.keyboard.press("Alt+r");
  const wide = app.page.getByRole("region", { name: "Diff", exact: true });
  const notes = wide.getByRole("region", { name: "NOTES.md" });
  // Its agent may have come so far that files before this one fill the screen.
  await wide
    .getByRole("navigation", { name: "Files of the change" })
    .getByRole("button", { name: /^NOTES\.md/u })
    .click();
  // Meanwhile agents cause the diff to be redrawn, which removes the button below a resting pointer.
  await expect(async () => {
    await app.page.mouse.move(0, 0);
    await notes.getByText("Written by hand.").first().hover({ timeout: 2_000 });
    await notes.getByRole("button", { name: "Comment on this line" }).click({ timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  const form = notes.getByRole("form", { name: "Comment on line 1" });
  await form.getByRole("textbox", { name: "Comment" }).fill("Say who wrote it.");
  await form
    .getByRole("radio", { name: "The review" })
    .or(form.getByRole("button", { name: "The review" }))
    .first()
    .click();
  await scene("82-comment-on-a-line");
  await app.page.keyboard.press("ControlOrMeta+Enter");
  await expect(notes.getByRole("article", { name: /Say who wrote it/u })).toContainText("for the review");
  await app.page.keyboard.press("Escape");
  // Where the one before it had not come so far, it asks the same question first, which only the open inbox shows.
  await app.inbox.open();
  const question = app.inbox.card("align-request");
  const done = client.getByRole("img", { name: "done", exact: true });
  await expect(done.or(question).first()).toBeVisible({ timeout: 120_000 });
  if (await question.isVisible()) {
    await (await app.inbox.waitFor("align-request")).getByRole("button", { name: /user_id/u }).click();
    await app.inbox.approve("mutation");
  }
  await expect(done).toBeVisible({ timeout: 120_000 });
  await app.inspector.open();
  await expect(written).toContainText("read and acted on");
  await expect(app.inspector.composer("agent-4"), "it takes no messages now").toHaveCount(0);
});
