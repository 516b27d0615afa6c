import { expect, test } from "./test.ts";

for (const colorScheme of ["light", "dark"] as const) {
  for (const [width, height] of [
    [1440, 900],
    [1024, 700],
  ] as const) {
    test(`${colorScheme} at ${width}×${height}: everything has its place`, async ({ start, page, scene }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      const { app } = await start();
      await expect(app.welcome).toBeVisible();
      await app.fits();
      await app.watchRehearsal();
      await app.inbox.approve("plan");
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
  }
}
