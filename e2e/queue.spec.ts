import { expect, test } from "./test.ts";

const task = (name: string, priority: string): string =>
  `${name}\n\nHox-Kind: task\nHox-Status: open\nHox-Priority: ${priority}`;

// As most people have it.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

test("a task is dragged to another priority, and its change says so", async ({
  start,
  playground,
  scene,
}) => {
  const root = await playground.repository("project", [
    task("paint", "low"),
    task("measure", "high"),
    task("saw", "high"),
  ]);
  const { app } = await start({ folder: root });
  await expect(app.queue.task("paint")).toBeVisible();
  await expect(app.queue.band("low").getByText("paint")).toBeVisible();
  await scene("30-queue");

  await app.queue.drag("paint", app.queue.band("high"));
  await expect(app.queue.band("high").getByText("paint")).toBeVisible();
  await expect(app.queue.band("low").getByText("paint")).toHaveCount(0);
  await expect
    .poll(() =>
      playground.jj(root, ["log", "--no-graph", "-r", "description('paint*')", "-T", "description"]),
    )
    .toContain("Hox-Priority: high");
  await expect(app.graph.row("paint").getByRole("img", { name: "high priority" })).toBeVisible();
  await scene("31-queue-after-drag");

  const { page } = app;
  const priority = () =>
    playground.jj(root, ["log", "--no-graph", "-r", "description('paint*')", "-T", "description"]);
  await test.step("one key undoes it, with a notice, and another one redoes it", async () => {
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.notices).toContainText("Undone: the move of “paint” in the queue.");
    await expect(app.queue.band("low").getByText("paint")).toBeVisible();
    await expect.poll(priority).toContain("Hox-Priority: low");
    await app.notices.getByRole("button", { name: "Redo" }).click();
    await expect(app.queue.band("high").getByText("paint")).toBeVisible();
  });
  await test.step("an abandoned change comes back, and so do words; done again, both are gone again", async () => {
    await app.graph.row("measure").click();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Abandon", exact: true }).click();
    await expect(app.graph.row("measure")).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.graph.row("measure")).toBeVisible();
    await page.keyboard.press("ControlOrMeta+Shift+z");
    await expect(app.graph.row("measure")).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.graph.row("measure")).toBeVisible();
    await app.graph.row("saw").click();
    await page.keyboard.press("F2");
    await app.dialog("Describe this change").getByRole("textbox").fill("saw the boards");
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(app.graph.row("saw the boards")).toBeVisible();
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.graph.row("saw the boards")).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+Shift+z");
    await expect(app.graph.row("saw the boards")).toBeVisible();
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.graph.row("saw the boards")).toHaveCount(0);
  });
  await test.step("a line says where it would land, and a band without tasks by its colour", async () => {
    const from = await app.queue.task("paint").boundingBox();
    const to = await app.queue.task("saw").boundingBox();
    const empty = await app.queue.band("critical").boundingBox();
    if (!from || !to || !empty) throw new Error("The queue is not on screen.");
    const heading = app.queue.band("critical").locator("h3");
    const colour = () => heading.evaluate((element) => getComputedStyle(element).backgroundColor);
    const defaultColour = await colour();
    await page.mouse.move(from.x + 20, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y + 30, { steps: 4 });
    await page.mouse.move(to.x + 20, to.y + 3, { steps: 4 });
    await expect(app.queue.band("high").locator("[data-drop-line]")).toHaveCount(1);
    expect(await colour()).toBe(defaultColour);
    await page.mouse.move(empty.x + 20, empty.y + 10, { steps: 4 });
    await expect(app.queue.region.locator("[data-drop-line]")).toHaveCount(0);
    expect(await colour()).not.toBe(defaultColour);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    expect(await colour()).toBe(defaultColour);
  });
  await test.step("what is dragged stays inside the window", async () => {
    const card = await app.queue.task("paint").boundingBox();
    if (!card) throw new Error("There is no card.");
    await page.mouse.move(card.x + 20, card.y + 10);
    await page.mouse.down();
    await page.mouse.move(card.x + 20, card.y + 30, { steps: 4 });
    await page.mouse.move(card.x + 20, 896, { steps: 4 });
    const ghost = page.locator("[data-drag-ghost]");
    await expect(ghost).toHaveText("paint");
    expect(await ghost.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThanOrEqual(
      900,
    );
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await expect(ghost).toHaveCount(0);

    const row = await app.graph.row("measure").boundingBox();
    if (!row) throw new Error("There is no row.");
    await page.mouse.move(row.x + 120, row.y + 10);
    await page.mouse.down();
    await page.mouse.move(row.x + 120, row.y + 40, { steps: 4 });
    await page.mouse.move(1436, 896, { steps: 4 });
    await expect(ghost).toContainText("measure");
    const box = await ghost.evaluate((element) => element.getBoundingClientRect().toJSON());
    expect(box.bottom).toBeLessThanOrEqual(900);
    expect(box.right).toBeLessThanOrEqual(1440);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await expect(ghost).toHaveCount(0);
    await app.fits();
  });
  await test.step("what others have changed since stays, and is named with a way to it", async () => {
    await app.graph.row("measure").click();
    await playground.jj(root, ["describe", "-r", "description('paint*')", "-m", task("paint", "critical")]);
    await expect(app.queue.band("critical").getByText("paint")).toBeVisible();
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.notices).toContainText("Its priority was changed in the meantime to critical.");
    await scene("33-undo-refused");
    await app.notices.getByRole("button", { name: "Go to “paint”" }).click();
    await expect(app.graph.row("paint")).toHaveAttribute("aria-selected", "true");
  });
});

test("the same by keyboard, and the order inside a priority", async ({ start, playground }) => {
  const root = await playground.repository("project", [task("measure", "high"), task("saw", "high")]);
  const { app } = await start({ folder: root });
  await expect(app.queue.band("high").locator("[data-queue-card]")).toHaveCount(2);
  const [first] = await app.queue.order("high");
  await app.queue.task(first ?? "").focus();
  await app.page.keyboard.press("Alt+ArrowDown");
  await expect.poll(async () => (await app.queue.order("high"))[1]).toBe(first);
  await expect
    .poll(() =>
      playground.jj(root, ["log", "--no-graph", "-r", `description('${first}*')`, "-T", "description"]),
    )
    .toContain("Hox-Rank: ");
});

test("a write that fails rolls back and says why", async ({ start, playground, scene }) => {
  const root = await playground.repository("project", [task("paint", "low"), task("measure", "high")]);
  const { app } = await start({ folder: root });
  await expect(app.queue.task("paint")).toBeVisible();
  // The repository's own rule: what is published may not be rewritten.
  await playground.jj(root, ["config", "set", "--repo", 'revset-aliases."immutable_heads()"', "all()"]);
  await app.queue.drag("paint", app.queue.band("high"));
  await expect(app.notices).toContainText(/immutable/iu);
  await expect(app.queue.band("low").getByText("paint")).toBeVisible();
  await scene("32-queue-refused");
});
