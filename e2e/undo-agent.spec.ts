import { join } from "node:path";
import { expect, test } from "./test.ts";

test("one agent's work is undone without changing any other; it pauses, gets a message, restarts, and the run lands", {
  tag: "@long",
}, async ({ start, playground, scene }) => {
  const { app } = await start({ pace: 4 });
  const root = join(playground.state, "rehearsals", "profiles-1");
  const log = (revset: string, template: string) =>
    playground.jj(root, ["log", "--ignore-working-copy", "--no-graph", "-r", revset, "-T", template]);
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  await app.inbox.waitFor("align-request");
  const api = app.graph.row("Profile API");
  await expect(api.getByRole("img", { name: "done", exact: true })).toBeVisible({ timeout: 120_000 });
  await expect(
    app.graph.row("Profile storage and tests").getByRole("img", { name: "done", exact: true }),
  ).toBeVisible({ timeout: 120_000 });
  await api.dblclick();
  await expect(app.inspector.title).toHaveText("Profile API");

  const changeId = (await api.getAttribute("data-change-id")) ?? "";
  const others = `description(regex:"(?m)^Hox-Run: ") ~ ${changeId}`;
  const rest = await log(others, 'commit_id ++ "\\n" ++ description');
  const files = await playground.jj(root, ["diff", "--ignore-working-copy", "--name-only", "-r", changeId]);
  expect(files).not.toBe("");

  await app.agent.button.click();
  await expect(app.agent.entry("Undo this agent’s work…")).toBeVisible();
  await scene("70-agent-menu");
  await app.page.keyboard.press("Escape");
  await app.agent.choose("Undo this agent’s work…");
  const dialog = app.agent.undoDialog("agent-1");
  for (const file of files.trim().split("\n")) await expect(dialog).toContainText(file);
  await expect(dialog.getByText("Unchanged").locator("xpath=..")).toContainText("agent-3");
  await dialog.getByRole("radio", { name: "Pause until I resume it" }).check();
  await scene("71-undo-preview");
  await dialog.getByRole("button", { name: "Undo its work" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(api.getByRole("img", { name: "open", exact: true })).toBeVisible();
  expect(await playground.jj(root, ["diff", "--ignore-working-copy", "--name-only", "-r", changeId])).toBe(
    "",
  );
  expect(await log(others, 'commit_id ++ "\\n" ++ description')).toBe(rest);
  await expect(app.inspector.region).toContainText("paused by you");
  await scene("72-undone");

  const changed = () => playground.jj(root, ["diff", "--ignore-working-copy", "--name-only", "-r", changeId]);
  await app.page.keyboard.press("ControlOrMeta+z");
  await expect(app.notices).toContainText("Undone: undoing the work of agent-1.");
  expect(await changed()).toBe(files);
  await app.page.keyboard.press("ControlOrMeta+Shift+z");
  await expect(app.notices).toContainText("Redone: undoing the work of agent-1.");
  expect(await changed()).toBe("");

  await app.agent.choose("Message…");
  const message = app.agent.messageDialog("agent-1");
  await message.getByRole("textbox", { name: "Message" }).fill("Keep it small this time.");
  await scene("73-message");
  await app.page.keyboard.press("ControlOrMeta+Enter");
  await expect(message).toHaveCount(0);
  await app.inspector.show("Messages");
  await expect(app.inspector.region).toContainText("Keep it small this time.");
  await app.agent.command("agent resume");
  await expect(api.getByRole("img", { name: "done", exact: true })).toBeVisible({ timeout: 120_000 });
  expect(await playground.jj(root, ["diff", "--ignore-working-copy", "--name-only", "-r", changeId])).toBe(
    files,
  );

  const question = await app.inbox.waitFor("align-request");
  await question.getByRole("button", { name: /user_id/u }).click();
  await app.inbox.approve("mutation");
  await app.inbox.approve("pattern");
  const land = await app.inbox.waitFor("land");

  // Also from the filter of the operations, and refused now: the integration is built on it.
  await app.operations.open();
  await app.operations.region.getByRole("button", { name: "agent-1", exact: true }).click();
  await scene("74-operations-of-one-agent");
  await app.operations.region.getByRole("button", { name: /^Undo this agent/u }).click();
  const refusal = app.agent.undoDialog("agent-1");
  await expect(refusal.getByRole("alert")).toContainText("integration");
  await expect(refusal.getByRole("button", { name: "Undo its work" })).toHaveCount(0);
  await scene("75-undo-refused");
  // Not a dead end: the dependent change is one click away.
  const above = refusal.getByRole("listitem").first().getByRole("button");
  const title = await above.innerText();
  await above.click();
  await expect(refusal).toHaveCount(0);
  await expect(app.inspector.title).toHaveText(title);
  await app.inbox.open();
  await land.getByRole("button", { name: "Land on main" }).click();
  await expect(app.page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
  expect(await log("divergent() | (main & conflicts())", "change_id")).toBe("");
});

test("an agent is paused and resumed from the graph's own menu", {
  tag: "@long",
}, async ({ start, scene }) => {
  const { app } = await start();
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  // Its agent has asked and waits, so it cannot be done before the menu is open, and no card comes in between.
  await app.inbox.waitFor("align-request");
  const client = app.graph.row("Profile client");
  await client.click({ button: "right" });
  await app.page.getByRole("menuitem", { name: "agent-2" }).click();
  await expect(app.agent.entry("Pause")).toBeVisible();
  await scene("76-graph-menu");
  await app.agent.entry("Pause").click();
  await client.dblclick();
  await expect(app.inspector.region.getByText("paused by you"), "and is said once").toHaveCount(1);
  await app.inspector.show("Agent");
  await app.inspector.composer("agent-2").fill("First line");
  await app.page.keyboard.press("Shift+Enter");
  await app.page.keyboard.type("and a second one.");
  await app.inspector.show("Details");
  await app.inspector.show("Agent");
  await expect(app.inspector.composer("agent-2"), "a draft outlives its tab").toHaveValue(
    "First line\nand a second one.",
  );
  await expect(app.inspector.region).toContainText("agent-2 is paused and will read it when it resumes.");
  await app.inspector.region.getByRole("button", { name: /^Send/u }).click();
  const written = app.inspector.region.getByRole("listitem", { name: "You to agent-2" });
  await expect(written).toContainText("not read yet");
  await scene("76b-written-to-one-that-is-paused");
  await app.agent.choose("Resume");
  await expect(app.inspector.region).not.toContainText("paused by you");
});
