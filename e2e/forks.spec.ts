import { expect, test } from "./test.ts";

test("a fork is listed below its caller with its cost, opens like an agent, and its answer is readable in the caller's conversation", {
  tag: "@long",
}, async ({ start, scene }) => {
  const { app } = await start();
  await app.watchRehearsal("Two ways to write an amount");
  await app.inbox.approve("plan");
  const { inspector, page } = app;
  // Its caller has forked before it asks, and waits now; a card that comes brings the inbox forward.
  await app.inbox.waitFor("align-request");
  await inspector.open();
  const row = inspector.worker("agent-1-fork-1");
  await expect(row).toContainText(/clone · done · \d+ % from cache · .+ tokens/u);
  // Its caller has said little yet: Hox's own part of such a short request is large.
  const cached = Number(/(\d+) % from cache/u.exec((await row.textContent()) ?? "")?.[1]);
  expect(cached).toBeGreaterThanOrEqual(90);
  await inspector.region.getByRole("region", { name: "Workers" }).scrollIntoViewIfNeeded();
  await scene("110-fork-in-the-list");

  await row.click();
  await expect(inspector.title).toContainText("Find every place");
  const conversation = inspector.region.getByRole("list", { name: "Conversation of agent-1-fork-1" });
  await expect(conversation).toContainText("search");
  await scene("111-fork-conversation");
  await inspector.show("Details");
  await expect(inspector.region.getByRole("region", { name: "Answer" })).toBeVisible();
  await scene("112-fork-details");

  await inspector.region.getByRole("button", { name: "agent-1", exact: true }).click();
  await inspector.show("Agent");
  const open = inspector.region.getByRole("button", { name: "Open agent-1-fork-1" });
  await open.scrollIntoViewIfNeeded();
  const answer = inspector.region.getByRole("region", { name: "Answer of clone" });
  await expect(answer).toContainText("src/label.js");
  await expect(answer).not.toContainText('"status"');
  await scene("113-fork-in-its-caller");
  for (const [scheme, width, height] of [
    ["dark", 1440, 900],
    ["light", 1024, 700],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    await answer.scrollIntoViewIfNeeded();
    await scene(`114-fork-in-its-caller-${scheme}-${width}`);
  }
  await app.fits();
  await open.click();
  await expect(inspector.title).toContainText("Find every place");
  await scene("115-fork-small");
});
