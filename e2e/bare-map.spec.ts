import { expect, test } from "./test.ts";

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  ([1440, 800] as const).map((width) => ({ colorScheme, width, height: width === 1440 ? 900 : 600 })),
);

test("a repository without any run: the canvas says what will be there, and its changes are a map by mouse and by keys, light and dark, large and small", async ({
  start,
  playground,
  scene,
  accessible,
  page,
}) => {
  const root = await playground.repository(
    "project",
    Array.from({ length: 24 }, (_, at) => `Change number ${at}`),
  );
  await playground.jj(root, ["bookmark", "create", "main", "-r", "@-"]);
  await playground.jj(root, ["new", "subject(exact:'Change number 18')", "-m", "Another way"]);
  await playground.jj(root, ["new", "subject(exact:'Another way')", "main", "-m", "Both ways together"]);
  await page.addInitScript(() => {
    const written: { words: string; px: number }[] = [];
    Object.assign(globalThis, { written });
    const fill = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (words, ...place) {
      const px = (Number.parseFloat(this.font) * this.getTransform().a) / devicePixelRatio;
      written.push({ words, px });
      fill.call(this, words, ...place);
    };
  });
  const { app } = await start({ folder: root });
  await app.graph.shown();
  const written = (): Promise<readonly { words: string; px: number }[]> =>
    page.evaluate(() => (globalThis as unknown as { written: { words: string; px: number }[] }).written);
  const inEachLook = async (name: string, see: () => Promise<void>): Promise<void> => {
    for (const { colorScheme, width, height } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await see();
      await app.fits();
      await scene(`${name}-${width}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  await test.step("the log", async () => {
    await inEachLook("175-log-without-a-run", () =>
      expect(app.graph.row("Both ways together")).toBeInViewport(),
    );
  });

  const map = page.getByRole("listbox", { name: "Graph" });
  await test.step("the canvas has no run to draw, and a map by keyboard", async () => {
    await page.keyboard.press("Alt+2");
    const recent = page.getByRole("region", { name: "Recent runs" });
    await inEachLook("176-no-run-yet", async () => {
      await expect(recent.getByText("No runs yet", { exact: true })).toBeInViewport();
      await expect(recent.getByRole("button", { name: "Give a goal" })).toBeInViewport();
    });
    await accessible("no run yet");
    await recent.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await expect(recent.getByRole("button", { name: "Show the changes as a map" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(map).toBeVisible();
    await expect(map, "the keys go on in what was asked for").toBeFocused();
  });

  await test.step("its keys walk the changes, and what is chosen is in sight", async () => {
    await page.keyboard.press("Home");
    const active = async (): Promise<string> => {
      const id = await map.getAttribute("aria-activedescendant");
      return id === null ? "" : ((await page.locator(`[id="${id}"]`).textContent()) ?? "");
    };
    await expect.poll(active).toContain("Both ways together");
    await page.keyboard.press("ArrowRight");
    await expect.poll(active).toContain("Another way");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(active).toContain("Both ways together");
    await page.keyboard.press("Enter");
    await expect(app.inspector.title).toHaveText("Both ways together");
    await expect(map).toBeFocused();
    await page.keyboard.press("End");
    await expect.poll(active).toContain("root");
    await expect(page.locator(".react-flow__node").filter({ hasText: "root" })).toBeInViewport();
    await page.keyboard.press("Home");
    await page.keyboard.press("Escape");
    await expect(map).not.toHaveAttribute("aria-activedescendant", /./u);
  });

  await test.step("it is read in every look, by mouse too", async () => {
    const newest = page.locator(".react-flow__node").filter({ hasText: "Both ways together" });
    await inEachLook("177-map", async () => {
      await map.focus();
      await page.keyboard.press("Home");
      await expect(newest).toBeInViewport();
    });
    await accessible("a map of changes");
    await newest.click();
    await expect(app.inspector.title).toHaveText("Both ways together");
    const place = () => page.locator(".react-flow__viewport").evaluate((element) => element.style.transform);
    const before = await place();
    await page.getByRole("button", { name: "Show everything" }).click();
    await expect.poll(place).not.toBe(before);
    await inEachLook("178-map-everything", async () => {
      await page.evaluate(() => (globalThis as unknown as { written: unknown[] }).written.splice(0));
      await page.getByRole("button", { name: "Show everything" }).click();
      // Whole or shortened, every change has its words, in letters that are read.
      for (const subject of ["Change number 0", "Change number 23", "Both ways together"])
        await expect
          .poll(async () =>
            (await written()).some(({ words }) => subject.startsWith(words.replace(/…$/u, ""))),
          )
          .toBe(true);
      for (const { px } of await written()) expect(px).toBeGreaterThanOrEqual(11);
    });
  });

  await test.step("the keys of the run’s canvas draw it larger and smaller, and a button leads back to the runs", async () => {
    const zoom = () =>
      page
        .locator(".react-flow__viewport")
        .evaluate((element) => Number(/scale\(([\d.]+)\)/u.exec(element.style.transform)?.[1]));
    await map.focus();
    // From a size that is certain, whatever the last look has left.
    for (let at = 0; at < 8; at++) await page.keyboard.press("+");
    await expect.poll(zoom).toBeGreaterThan(0.5);
    await page.keyboard.press("0");
    await expect.poll(zoom).toBeLessThan(0.4);
    let everything = 0;
    await expect
      .poll(async () => {
        const before = everything;
        everything = await zoom();
        return everything === before;
      })
      .toBe(true);
    await page.keyboard.press("+");
    await expect.poll(zoom).toBeGreaterThan(everything * 1.1);
    await page.keyboard.press("0");
    await expect.poll(zoom).toBeCloseTo(everything, 2);
    await page.keyboard.press("-");
    await expect.poll(zoom).toBeLessThan(everything * 0.9);
    // So far away that nothing is written, the pointer brings a name.
    for (let at = 0; at < 12; at++) await page.keyboard.press("-");
    await expect.poll(zoom).toBeLessThan(0.06);
    await page.evaluate(() => (globalThis as unknown as { written: unknown[] }).written.splice(0));
    const panel = await page.locator(".react-flow").boundingBox();
    if (!panel) throw new Error("The map is not on screen.");
    for (let by = -40; by <= 40; by += 3)
      await page.mouse.move(panel.x + panel.width / 2 + by, panel.y + panel.height / 2);
    await expect
      .poll(async () => (await written()).map(({ words }) => words).join())
      .toContain("Change number");
    await scene("178-map-pointed-at");
    await page.getByRole("button", { name: "Back" }).click();
    const recent = page.getByRole("region", { name: "Recent runs" });
    await expect(recent).toBeFocused();
    await page.keyboard.press("Alt+1");
    await expect(app.graph.grid).toBeVisible();
  });
});
