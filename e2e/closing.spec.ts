import { join } from "node:path";
import { TestHost } from "./host.ts";
import { expect, test } from "./test.ts";

test("a run resumes after the app was closed, and after it was killed", {
  tag: "@long",
}, async ({ start, playground, scene }) => {
  const { app, host } = await start();
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  await app.inbox.waitFor("align-request");
  const root = join(playground.state, "rehearsals", "profiles-1");
  let running = host;
  const reopen = async (name: string) => {
    await expect(app.connectionLost).toBeVisible();
    await scene(`40-${name}-connection-lost`);
    running = await TestHost.start(playground, { folder: root });
    await app.goto(await running.address());
    const question = await app.inbox.waitFor("align-request");
    await scene(`41-${name}-reopened`);
    return question;
  };
  try {
    expect(await running.stop()).toBeLessThan(5_000);
    await reopen("closed-in-order");
    await app.graph.row("Profile client").dblclick();
    await app.inspector.show("Agent");
    const conversation = app.inspector.region.getByRole("list", { name: "Conversation of agent-2" });
    await expect(conversation.getByRole("listitem").first()).toBeVisible();
    await running.kill();
    await expect(app.connectionLost).toBeVisible();
    await test.step("what was said stays readable, and what is typed stays, without a host", async () => {
      await app.graph.row("Profile API").click();
      await app.graph.row("Profile client").click();
      await expect(app.inspector.region.getByRole("alert").first()).toContainText(
        "The window is not connected to Hox",
      );
      await expect(conversation.getByRole("listitem").first()).toBeVisible();
      await conversation.getByRole("listitem").first().click();
      await app.page.keyboard.press("ControlOrMeta+f");
      const bar = app.inspector.region.getByRole("search");
      await bar.getByRole("textbox").fill("PROFILE");
      await expect(bar.getByRole("status")).toHaveText(/^1 of \d+$/u);
      // The first one is in the prompt, which was folded.
      await expect(conversation.locator("details[open] pre")).toBeInViewport();
      const marked = () => app.page.evaluate(() => String([...(CSS.highlights.get("find") ?? [])][0] ?? ""));
      await expect.poll(marked).toMatch(/^profile$/iu);
      await app.page.keyboard.press("Shift+Enter");
      await expect(bar.getByRole("status")).toHaveText(/^(\d+) of \1$/u);
      await scene("40-find-in-conversation");
      await app.page.keyboard.press("Escape");
      await expect(bar).toHaveCount(0);
      await expect.poll(marked).toBe("");
      const words = app.inspector.region.getByRole("textbox");
      await words.fill("Mind the gap.");
      await app.page.keyboard.press("ControlOrMeta+Enter");
      await expect(app.inspector.region).toContainText("Nothing was sent. Try again when Hox is connected.");
      await expect(words).toHaveValue("Mind the gap.");
      await scene("40-conversation-without-a-host");
    });
    const question = await reopen("killed");

    await question.getByRole("button", { name: /user_id/u }).click();
    await app.inbox.approve("mutation");
    // The agent that had asked before both ends continues with the answer; the rest is as in every run.
    await expect(app.graph.row("Profile client").getByRole("img", { name: "done", exact: true })).toBeVisible(
      { timeout: 120_000 },
    );
    expect(await playground.jj(root, ["log", "--no-graph", "-r", "divergent()", "-T", "change_id"])).toBe("");
  } finally {
    await running.stop();
  }
});

test("a reload of the page keeps the session and the state", async ({ start, playground }) => {
  const root = await playground.repository("project", ["kept"]);
  const { app } = await start({ folder: root });
  await expect(app.graph.row("kept")).toBeVisible();
  await app.page.reload();
  await expect(app.graph.row("kept")).toBeVisible();
});

test("a run is paused, resumed and stopped from the header", async ({ start }) => {
  const { app } = await start();
  await app.watchRehearsal();
  await app.inbox.waitFor("plan");
  await app.control("Pause").click();
  await expect(app.control("Resume")).toBeVisible();
  await app.control("Resume").click();
  await expect(app.control("Pause")).toBeVisible();
  await app.control("Stop").click();
  await app.page
    .getByRole("alertdialog")
    .or(app.page.getByRole("dialog"))
    .getByRole("button", { name: "Stop the run" })
    .click();
  await expect(app.page.getByRole("button", { name: "Start a run" })).toBeVisible();
});
