import { expect, test } from "./test.ts";

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  (
    [
      [1440, 900],
      [1024, 700],
    ] as const
  ).map(([width, height]) => ({ colorScheme, width, height })),
);

test("light and dark, wide and narrow: everything has its place", async ({ start, page, scene }) => {
  const { app } = await start();
  /** Opens the page anew in each look: what it was before must not help. */
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
  await app.watchRehearsal();
  await app.inbox.approve("plan");
  await app.inbox.waitFor("align-request");
  await inEachLook(async ({ colorScheme, width }) => {
    await app.inbox.waitFor("align-request");
    await app.fits();
    await expect(app.queue.region).toBeVisible();
    await expect(app.graph.grid).toBeVisible();
    await expect(app.control("Pause")).toBeVisible();
    await expect(app.budget).toBeVisible();
    const graph = await app.graph.grid.boundingBox();
    expect(graph?.width, "the graph keeps room for itself").toBeGreaterThan(320);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [red = 0] = (/\d+/u.exec(background) ?? []).map(Number);
    expect(red > 128).toBe(colorScheme === "light");
    await scene(`60-${colorScheme}-${width}`);
  });
});
