import type { Page } from "@playwright/test";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 800, height: 600 },
] as const;

/** Controls that a notification covers; what is drawn along the time is no control. */
const covered = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const parts = [
      'section[aria-label="Time of the run"]',
      'section[aria-label="Replay"]',
      'section[aria-label="Inspector and inbox"]',
      'section[aria-label="Queue"]',
      "header",
      "footer",
      'section[aria-label="Graph panel"]',
    ].join(", ");
    const notices = document.querySelector('section[aria-label="Notifications"]');
    if (!notices?.querySelector('[role="group"]')) return ["There is no notification."];
    const isIn = (x: number, y: number) => notices.contains(document.elementFromPoint(x, y));
    const controls = "button:not([data-mark], [data-radar]), input, textarea, select, [role=slider]";
    return [...document.querySelectorAll<HTMLElement>(controls)]
      .filter((element) => element.closest(parts) && !element.closest("[inert]") && element.checkVisibility())
      .filter((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return [left + 2, (left + right) / 2, right - 2].some((x) =>
          [top + 2, (top + bottom) / 2, bottom - 2].some((y) => isIn(x, y)),
        );
      })
      .map((element) => element.ariaLabel ?? element.textContent ?? element.tagName);
  });

test("notifications cover no control of the time, a card, a composer or the queue, in a large and a small window", {
  tag: "@long",
}, async ({ start, scene }) => {
  const { app } = await start({ pace: 20 });
  const { page } = app;
  await app.watchRehearsal();
  await app.inbox.waitFor("plan");
  await app.inbox.approve("plan");
  await app.inbox.waitFor("align-request");
  const lane = page.locator("[data-lane-name]").filter({ hasText: "Profile client" });
  const inbox = page.getByRole("region", { name: "Inspector and inbox" });
  const drawer = page.getByRole("contentinfo").getByRole("button", { name: "Inspector" });

  const say = async (): Promise<void> => {
    await lane.focus();
    await page.keyboard.press("Alt+ArrowUp");
    // The move goes to the host first.
    await expect(async () => {
      await page.keyboard.press("Control+z");
      await expect(app.notices).toContainText("Undone: the move of “Profile client”", { timeout: 500 });
    }).toPass();
  };

  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height });
    for (const side of ["inbox", "composer"] as const) {
      await test.step(`${width}×${height}, ${side} side`, async () => {
        if (!(await inbox.isVisible())) await drawer.click();
        await expect(inbox).toBeVisible();
        if (side === "inbox") await page.getByRole("tab", { name: /^Inbox/u }).click();
        else {
          await lane.click();
          await app.inspector.open();
          await app.inspector.show("Agent");
          await expect(app.inspector.composer("agent-2")).toBeVisible();
        }
        await say();
        // Without a notification this is not empty.
        await expect.poll(() => covered(page), { timeout: 3_000 }).toEqual([]);
        await scene(`179-notices-${width}-${side}`);
        await app.fits();
        for (const one of await app.notices.getByRole("button", { name: "Dismiss" }).all())
          await one.click({ timeout: 5_000 }).catch(() => undefined);
        await expect(app.notices.getByRole("group")).toHaveCount(0);
      });
    }
  }
});
