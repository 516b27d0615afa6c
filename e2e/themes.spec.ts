import type { Page } from "@playwright/test";
import { expect, test } from "./test.ts";

/** Stands in for the system's notifications, which no browser shows to a test. */
async function watchNotifications(page: Page) {
  await page.addInitScript(() => {
    const notifications: { title: string; body: string; target: EventTarget }[] = [];
    class KeptNotification extends EventTarget {
      static permission = "default";
      static requestPermission = async () => {
        KeptNotification.permission = "granted";
        return "granted";
      };
      constructor(title: string, { body = "" }: NotificationOptions) {
        super();
        notifications.push({ title, body, target: this });
      }
    }
    Object.assign(window, { Notification: KeptNotification, notifications, isElsewhere: false });
    const hasFocus = document.hasFocus.bind(document);
    document.hasFocus = () => !Reflect.get(window, "isElsewhere") && hasFocus();
  });
  return {
    look: (where: "here" | "elsewhere") =>
      page.evaluate((isElsewhere) => {
        Object.assign(window, { isElsewhere });
        if (!isElsewhere) window.dispatchEvent(new Event("focus"));
      }, where === "elsewhere"),
    notifications: (): Promise<string[]> =>
      page.evaluate(() => Reflect.get(window, "notifications").map((one: { title: string }) => one.title)),
    clickLast: () =>
      page.evaluate(() =>
        Reflect.get(window, "notifications").at(-1).target.dispatchEvent(new Event("click")),
      ),
  };
}

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  (
    [
      [1440, 900],
      [1024, 700],
    ] as const
  ).map(([width, height]) => ({ colorScheme, width, height })),
);

test("light and dark, wide and narrow: everything has its place", async ({
  start,
  page,
  playground,
  scene,
  accessible,
}) => {
  const system = await watchNotifications(page);
  const { app } = await start();
  /** Reloads the page in each look, so that the earlier state does not help. */
  const inEachLook = async (see: (look: (typeof looks)[number]) => Promise<void>) => {
    for (const look of looks) {
      await test.step(`${look.colorScheme} at ${look.width}×${look.height}`, async () => {
        await page.emulateMedia({ colorScheme: look.colorScheme });
        await page.setViewportSize(look);
        await page.reload();
        await see(look);
      });
    }
  };
  await inEachLook(async () => {
    await expect(app.welcome).toBeVisible();
    await app.fits();
  });
  await expect(page).toHaveTitle("Hox");
  await accessible("the welcome");
  await test.step("who missed a decision is asked whether the system may tell them", async () => {
    // From the start: on a busy machine the plan can be there before the next line of this test.
    await system.look("elsewhere");
    await app.watchRehearsal();
    await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toHaveText("profiles-1");
    await app.inbox.waitFor("plan");
    await expect(page).toHaveTitle("(1) profiles-1 – Hox");
    expect(await system.notifications(), "the browser was not asked yet").toEqual([]);
    await expect(app.notices.getByRole("button", { name: "Notify me" })).toHaveCount(0);
    await system.look("here");
    await scene("59-asked-for-notifications");
    await app.notices.getByRole("button", { name: "Notify me" }).click();
    await expect(app.notices).toContainText("You will be notified of decisions");
  });
  await test.step("who wants no motion has none when the theme changes", async () => {
    await page.evaluate(() => {
      Object.assign(window, { begun: 0 });
      const count = () => Object.assign(window, { begun: Reflect.get(window, "begun") + 1 });
      document.addEventListener("transitionrun", count, { capture: true });
    });
    await accessible("the plan on its card");
    expect(await page.evaluate(() => Reflect.get(window, "begun"))).toBe(0);
  });
  await test.step("from then on the system tells of a decision, and a click leads to it", async () => {
    await app.inbox.approve("plan");
    await system.look("elsewhere");
    await app.inspector.open();
    await expect.poll(system.notifications, { timeout: 120_000 }).toEqual(["Question: waiting for you"]);
    await expect(page).toHaveTitle("(1) profiles-1 – Hox");
    await app.inspector.open();
    await system.clickLast();
    await expect(app.inbox.card("align-request").getByRole("button", { expanded: true })).toBeFocused();
    await system.look("here");
  });
  await accessible("the log of a run, and a question");
  /** A page that is reloaded shows what the host has kept by then. */
  const isKept = (runView: "log" | "canvas") =>
    expect(async () => expect(await playground.preferences()).toMatchObject({ runView })).toPass();
  await page.keyboard.press("Alt+2");
  await accessible("the canvas of a run, and a question");
  await isKept("canvas");
  await page.keyboard.press("Alt+1");
  await isKept("log");
  await inEachLook(async ({ colorScheme, width, height }) => {
    await app.inbox.waitFor("align-request");
    await app.fits();
    await expect(app.queue.region).toBeVisible();
    await expect(app.graph.grid).toBeVisible();
    await expect(app.control("Pause")).toBeVisible();
    await expect(app.budget).toBeVisible();
    const graph = await app.graph.grid.boundingBox();
    expect(graph?.width, "the graph keeps room for itself").toBeGreaterThan(320);
    const main = await page.getByRole("main").boundingBox();
    expect((main?.height ?? 0) / height, "header and strips leave the room to the work").toBeGreaterThan(0.8);
    const state = app.runLine.evaluate((line) => {
      let box = line.parentElement;
      while (box && getComputedStyle(box).overflowX === "visible") box = box.parentElement;
      return (box?.getBoundingClientRect().right ?? 0) - line.getBoundingClientRect().right;
    });
    expect(await state, "the header says the whole state").toBeGreaterThanOrEqual(0);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [red = 0] = (/\d+/u.exec(background) ?? []).map(Number);
    expect(red > 128).toBe(colorScheme === "light");
    await scene(`60-${colorScheme}-${width}`);
  });
});
