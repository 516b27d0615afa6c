import type { Page } from "@playwright/test";
import { manyAgentsIn } from "./many-agents.ts";
import type { App } from "./pages/app.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

const sizes = [
  [1440, 900],
  [1024, 700],
  [800, 600],
] as const;

interface Placed {
  readonly lane: string;
  readonly box: readonly number[];
  /** The marks on its line, each with its position. */
  readonly marks: readonly string[];
}

const canvasOf = (page: Page) => page.getByRole("region", { name: "Graph", exact: true });

/** Positions of everything on the canvas in the window, in whole px. */
const placesOf = (page: Page): Promise<readonly Placed[]> =>
  canvasOf(page).evaluate((canvas) => {
    const from = canvas.getBoundingClientRect();
    const boxOf = (element: Element): number[] => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x - from.x, y - from.y, width, height].map(Math.round);
    };
    return [...canvas.querySelectorAll("[data-lane]")]
      .map((lane) => ({
        lane: lane.getAttribute("aria-label") ?? "",
        box: boxOf(lane),
        marks: [...lane.querySelectorAll("[data-mark]")].map((mark) => boxOf(mark).join(" ")),
      }))
      .sort((one, other) => (one.box[1] ?? 0) - (other.box[1] ?? 0));
  });

const orderOf = async (page: Page): Promise<readonly string[]> =>
  (await placesOf(page)).map(({ lane }) => lane);

/** What is too small to read or press. */
const tooSmall = (page: Page): Promise<readonly string[]> =>
  canvasOf(page).evaluate((canvas) => {
    const walker = document.createTreeWalker(canvas, NodeFilter.SHOW_TEXT);
    const small: string[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      const text = node.textContent?.trim() ?? "";
      if (parent && text !== "" && Number.parseFloat(getComputedStyle(parent).fontSize) < 11)
        small.push(`${text}: ${getComputedStyle(parent).fontSize}`);
    }
    return small;
  });

/** Words that lie outside of their lane or their card, or over each other above the lanes. */
const broken = (page: Page): Promise<readonly string[]> =>
  canvasOf(page).evaluate((canvas) => {
    const found: string[] = [];
    const boxOf = (element: Element): DOMRect => element.getBoundingClientRect();
    const textIn = (element: Element): Element[] =>
      [...element.querySelectorAll("span, p")].filter(
        (one) => one.childElementCount === 0 && one.textContent !== "" && boxOf(one).width > 2,
      );
    for (const box of canvas.querySelectorAll("[data-lane-name], [data-bubble]"))
      for (const word of textIn(box)) {
        if (word.classList.contains("sr-only") || word.closest(".-top-2")) continue;
        const [inner, outer] = [boxOf(word), boxOf(box)];
        if (inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1)
          found.push(`cut: ${word.textContent}`);
      }
    const now = canvas.querySelector("[data-now]");
    for (const line of canvas.querySelectorAll("[data-lane-line]"))
      if (now && boxOf(line).right > boxOf(now).right + 1) found.push("a line continues right of now");
    const header = canvas.querySelector("[data-canvas-labels]");
    const labels = header ? textIn(header) : [];
    for (const [at, one] of labels.entries())
      for (const other of labels.slice(at + 1)) {
        const [a, b] = [boxOf(one), boxOf(other)];
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom)
          found.push(`over each other: ${one.textContent}, ${other.textContent}`);
      }
    return found;
  });

/** What is dragged is drawn beside the pointer and inside the window, however large text is; nothing is dropped. */
async function dragsNextToPointer(page: Page): Promise<void> {
  const name = await canvasOf(page).locator("[data-lane-name]").nth(2).boundingBox();
  if (!name) throw new Error("The lane is not on screen.");
  await page.mouse.move(name.x + 60, name.y + 8);
  await page.mouse.down();
  const ghost = page.locator("[data-drag-ghost]");
  const [pointer, corner] = [
    { x: name.x + 80, y: name.y + 40 },
    { x: 1_010, y: 690 },
  ];
  await page.mouse.move(pointer.x, pointer.y, { steps: 4 });
  await expect
    .poll(async () => {
      const box = await ghost.boundingBox();
      return box && Math.round(box.x - pointer.x) === 12 && Math.round(box.y - pointer.y) === 8;
    })
    .toBe(true);
  await page.mouse.move(corner.x, corner.y, { steps: 4 });
  const isInside = () =>
    ghost.evaluate((element) => {
      const { right, bottom } = element.getBoundingClientRect();
      return right <= innerWidth && bottom <= innerHeight;
    });
  await expect.poll(isInside).toBe(true);
  await page.keyboard.press("Escape");
  await expect(ghost).toHaveCount(0);
  await page.mouse.up();
}

/** The size of text, as it is chosen in the palette. */
async function textSize(page: Page, from: number, to: number): Promise<void> {
  const action = to > from ? "Larger text" : "Smaller text";
  for (let step = from; step !== to; step += Math.sign(to - from)) {
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await page.keyboard.press("ControlOrMeta+k");
    await expect(palette.locator("input")).toBeFocused();
    await page.keyboard.type(action);
    await expect(page.getByRole("option", { selected: true })).toContainText(action);
    await page.keyboard.press("Enter");
    await expect(palette).toHaveCount(0);
  }
}

/** Resolves when no lane gets another mark: every paused agent has finished its step. */
async function quiet(page: Page): Promise<void> {
  let before = "";
  await expect
    .poll(
      async () => {
        const now = JSON.stringify((await placesOf(page)).map(({ marks }) => marks.length));
        const isSame = now === before;
        before = now;
        return isSame;
      },
      { intervals: [1_500], timeout: 60_000 },
    )
    .toBe(true);
}

async function begin(app: App, agents: number): Promise<void> {
  const { page } = app;
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByLabel("Goal").fill("Make the service ready for its second country");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  // Nobody has chosen a view: a run is shown along time.
  await expect(page.getByRole("button", { name: "Canvas", pressed: true })).toBeVisible({ timeout: 60_000 });
  await expect(canvasOf(page).locator("[data-lane]")).toHaveCount(agents, { timeout: 60_000 });
}

async function everySize(page: Page, scene: (name: string) => Promise<void>, name: string): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(400);
      await scene(`${name}-${width}-${theme}`);
      expect(await tooSmall(page)).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("eight agents keep their positions in two windows, over a reload and a time zoom; a lane moves by drag and by keys, and a question is answered in place", async ({
  start,
  playground,
  scene,
  context,
}) => {
  const { root, standIn } = await manyAgentsIn(playground, 8);
  // Before a page opens: one could not take back the timers that it had set on the clock before.
  await context.clock.install();
  try {
    const { app, host } = await start({ folder: root });
    const { page } = app;
    await begin(app, 8);
    const canvas = canvasOf(page);
    const bubble = canvas.locator("[data-bubble]");
    await expect(bubble).toContainText("tenths of a cent", { timeout: 60_000 });
    // Each has come so far that its line carries something.
    await expect
      .poll(async () => (await placesOf(page)).filter(({ marks }) => marks.length > 0).length, {
        timeout: 90_000,
      })
      .toBe(8);
    const release = standIn.hold(({ role }) => role.startsWith("agent-"));
    await everySize(page, scene, "160-eight");
    await test.step("a narrow window shows the whole canvas until the right side is opened", async () => {
      await page.setViewportSize({ width: 800, height: 600 });
      await expect(app.inspector.region.or(app.inbox.region)).toHaveCount(0);
      const box = await canvas.boundingBox();
      expect(box).toMatchObject({ x: 0, width: 800 });
      // All of it is in the window and covers nothing that is read and pressed; it is redrawn once the new size is known.
      const hidden = () =>
        bubble.evaluate((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
          const parts = [element, ...element.querySelectorAll("button")].filter((part) => {
            const box = part.getBoundingClientRect();
            return !element.contains(
              document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2),
            );
          });
          return [...(isInside ? [] : ["a part of it"]), ...parts.map(({ textContent }) => textContent)];
        });
      await expect.poll(hidden).toEqual([]);
      // An answer that is cut cannot be chosen.
      const cut = () =>
        bubble.evaluate((element) =>
          [...element.querySelectorAll("button[data-decision-key]:not([aria-label]) span")].flatMap(
            (option) =>
              option.scrollWidth > option.clientWidth || option.scrollHeight > option.clientHeight + 1
                ? [option.textContent]
                : [],
          ),
        );
      await expect.poll(cut).toEqual([]);
      await page.keyboard.press("Alt+i");
      await expect(app.inbox.region).toBeVisible();
      await expect(app.inbox.region.locator(":focus"), "its card has the keys").toHaveCount(1);
      await scene("160-eight-800-drawer");
      await page.keyboard.press("Escape");
      await expect(app.inbox.region).toHaveCount(0);
      await expect(canvas).toBeFocused();
      await canvas.locator("[data-lane-name]").first().click();
      await expect(app.inspector.region).toBeVisible();
      await page.keyboard.press("ControlOrMeta+i");
      await expect(app.inspector.region).toHaveCount(0);
      await page.setViewportSize({ width: 1440, height: 900 });
      await expect(app.inspector.region).toBeVisible();
    });

    await test.step("text of 20 and of 12 px cuts no word, in both windows that are usual", async () => {
      for (const [from, to] of [
        [13, 20],
        [20, 12],
      ] as const) {
        await textSize(page, from, to);
        for (const [width, height] of [
          [1440, 900],
          [1024, 700],
        ] as const) {
          await page.setViewportSize({ width, height });
          await expect.poll(() => broken(page), `${to} px at ${width}`).toEqual([]);
          await scene(`160-eight-${width}-text-${to}`);
        }
        if (to === 20) await dragsNextToPointer(page);
      }
      await textSize(page, 12, 13);
      await page.setViewportSize({ width: 1440, height: 900 });
    });

    await test.step("the legend opens by keys and says what the signs mean", async () => {
      await canvas.getByRole("button", { name: "Legend" }).focus();
      await page.keyboard.press("Enter");
      const legend = page.locator("[data-canvas-legend]");
      await expect(legend).toContainText("stalled");
      await scene("160-legend");
      await page.keyboard.press("Escape");
      await expect(legend).toHaveCount(0);
    });

    const other = await context.newPage();
    await other.setViewportSize({ width: 1440, height: 900 });
    await other.goto(await host.address());
    await expect(canvasOf(other).locator("[data-lane]")).toHaveCount(8);
    await test.step("both windows and a new one put everything at the same place", async () => {
      // A comparison needs a fixed time.
      await quiet(page);
      const still = Date.now() + 1_000;
      for (const one of [page, other]) await one.clock.setFixedTime(still);
      await quiet(page);
      // Each window takes up the time at its next tick, whenever that is on a busy machine.
      const same = () =>
        expect(async () => expect(await placesOf(other)).toEqual(await placesOf(page))).toPass({
          timeout: 30_000,
        });
      await same();
      await other.reload();
      await other.clock.setFixedTime(still);
      await same();
    });

    await test.step("time is stretched by keys, and no lane moves", async () => {
      const before = await placesOf(page);
      await canvas.focus();
      for (const key of ["+", "+"]) await page.keyboard.press(key);
      const lanes = (places: readonly Placed[]) => places.map(({ lane, box }) => [lane, ...box]);
      await expect.poll(async () => JSON.stringify(await placesOf(page))).not.toBe(JSON.stringify(before));
      expect(lanes(await placesOf(page))).toEqual(lanes(before));
      expect(await tooSmall(page)).toEqual([]);
      await page.keyboard.press("0");
      await expect.poll(() => placesOf(page)).toEqual(before);
    });

    await test.step("lanes and marks glide to another time, stay while time only passes, and never glide with reduced motion", async () => {
      /** How long a lane and a mark take to get to a new place (s), each time that this changes. */
      const watched = () =>
        // Read as it changes: gliding is over before a busy machine asks for it.
        canvas.evaluateHandle((element) => {
          const seen: string[] = [];
          const read = (): void => {
            const moving = ["[data-lane]", "[data-lane] .canvas-move"].map((name) => {
              const one = element.querySelector(name);
              return one ? Number.parseFloat(getComputedStyle(one).transitionDuration) : null;
            });
            seen.push(moving.join(" "));
          };
          read();
          new MutationObserver(read).observe(element, { attributeFilter: ["data-motion"] });
          return seen;
        });
      await page.emulateMedia({ reducedMotion: "no-preference" });
      // What was asked for before has to be over.
      await expect(canvas).toHaveAttribute("data-motion", "still");
      const free = await watched();
      await canvas.focus();
      await page.keyboard.press("+");
      await expect.poll(() => free.evaluate((seen) => seen)).toEqual(["0 0", "0.18 0.18", "0 0"]);
      await page.emulateMedia({ reducedMotion: "reduce" });
      const calm = await watched();
      await page.keyboard.press("0");
      await expect.poll(() => calm.evaluate((seen) => seen)).toEqual(["0 0", "0 0", "0 0"]);
      await page.emulateMedia({ reducedMotion: "no-preference" });
    });

    await test.step("lanes and moments by arrows; Enter opens, and the keys stay", async () => {
      const names = await orderOf(page);
      // From panel to panel one comes to the canvas itself, not to a button above it.
      await page.getByRole("tab", { name: /^Inbox/u }).focus();
      await page.keyboard.press("F6");
      await expect(canvas).toBeFocused();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await expect(canvas.locator("[data-lane-name]:focus")).toHaveAttribute("title", names[1] ?? "");
      await page.keyboard.press("ArrowRight");
      await expect(canvas.locator("[data-mark]:focus")).toHaveCount(1);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Enter");
      await expect(app.inspector.region).toContainText(names[1] ?? "");
      const focused = (title: string | undefined) =>
        expect(canvas.locator("[data-lane-name]:focus")).toHaveAttribute("title", title ?? "");
      await focused(names[1]);
      await page.keyboard.press("ArrowDown");
      await focused(names[2]);
      await page.keyboard.press("f");
      await expect(canvas.locator("[data-followed]")).toHaveCount(1);
      await page.keyboard.press("f");
      await expect(canvas.locator("[data-followed]")).toHaveCount(0);
    });

    await test.step("the spine is above the first lane, and arrows focus its items", async () => {
      const names = await orderOf(page);
      await canvas.locator(`[data-lane-name][title="${names[0]}"]`).focus();
      await page.keyboard.press("ArrowUp");
      await expect(canvas.locator("[data-stop]:focus")).toContainText("main");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await expect(app.inspector.region).toContainText("Make the service ready");
      await page.keyboard.press("ArrowDown");
      await expect(canvas.locator("[data-lane-name]:focus")).toHaveAttribute("title", names[0] ?? "");
    });

    await test.step("a lane is dragged to another place, and moved back by keys; the other window follows", async () => {
      const names = await orderOf(page);
      const [, second = "", , , , , seventh = ""] = names;
      const nameOf = (title: string) => canvas.locator(`[data-lane-name][title="${title}"]`);
      const from = await nameOf(seventh).boundingBox();
      const to = await nameOf(second).boundingBox();
      if (!from || !to) throw new Error("The lanes are not on screen.");
      await page.mouse.move(from.x + 60, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(from.x + 66, from.y - 10, { steps: 4 });
      await page.mouse.move(to.x + 66, to.y + 3, { steps: 8 });
      await scene("161-lane-dragged");
      await page.mouse.up();
      await expect.poll(async () => (await orderOf(page)).indexOf(seventh)).toBe(1);
      await expect.poll(() => orderOf(other)).toEqual(await orderOf(page));
      await nameOf(seventh).focus();
      await page.keyboard.press("Alt+ArrowDown");
      await expect.poll(async () => (await orderOf(page)).indexOf(seventh)).toBe(2);
    });

    await test.step("a click opens a lane and a moment, and the question is answered in place", async () => {
      const [first = ""] = await orderOf(page);
      await canvas.locator(`[data-lane-name][title="${first}"]`).click();
      await expect(app.inspector.region).toContainText(first);
      const marks = canvas.locator("[data-lane]").getByRole("button", { name: /, iteration 1,/u });
      const overMarks = await marks.evaluateAll((all) =>
        all.map((mark) => {
          const { x, y, width, height } = mark.getBoundingClientRect();
          const over = document.elementFromPoint(x + width / 2, y + height / 2);
          return mark.contains(over) ? "itself" : over?.closest("[data-lines]") ? "a line" : "another part";
        }),
      );
      // The line of a message runs below the marks that it crosses.
      expect(overMarks).not.toContain("a line");
      await marks.nth(overMarks.indexOf("itself", 2)).click();
      await expect(app.inspector.region).not.toContainText(first);
      await expect(app.inspector.region.getByText("Prompt of iteration 1")).toBeInViewport();
      await canvas.locator("[data-lane-name][title='Write the session tokens']").click();
      await page.keyboard.press("o");
      await expect(page.locator("section[aria-label='Inbox'] h3 button:focus")).toContainText("Question");
      await bubble.getByRole("button", { name: "Cents", exact: true }).click();
      await expect(bubble).toHaveCount(0);
    });

    await test.step("a pause of three hours is drawn short and says how long it was, in both windows alike", async () => {
      await app.control("Pause").click();
      const farthest = async () =>
        Math.max(
          ...(await placesOf(page)).flatMap(({ marks }) => marks.map((mark) => Number.parseInt(mark, 10))),
        );
      const before = await farthest();
      const later = Date.now() + 3 * 3_600_000;
      for (const one of [page, other]) await one.clock.setFixedTime(later);
      for (const one of [page, other]) {
        const length = canvasOf(one).locator("[data-break-length]");
        await expect(length).toContainText(/^(?:3 h|2 h 59 min)/u);
        await expect(length).toContainText("the run was paused");
      }
      const middle = (name: string) =>
        canvas.locator(name).evaluate((element) => {
          const { left, width } = element.getBoundingClientRect();
          return left + width / 2;
        });
      await expect
        .poll(async () => Math.abs((await middle("[data-break-length]")) - (await middle("[data-break]"))))
        .toBeLessThan(1);
      await scene("160-eight-paused");
      // What was done has its room: the pause takes a fifth at the most.
      expect(await farthest()).toBeGreaterThan(before * 0.7);
      expect(await tooSmall(page)).toEqual([]);
    });
    release();
  } finally {
    await standIn.close();
  }
});

for (const agents of [3, 16, 50])
  test(`a run of ${agents} agents fits every window @long`, async ({ start, playground, scene }) => {
    test.setTimeout(300_000);
    const { root, standIn } = await manyAgentsIn(playground, agents);
    try {
      const { app } = await start({ folder: root });
      await begin(app, agents);
      // Every agent but the one that asks continues.
      await expect
        .poll(async () => (await placesOf(app.page)).filter(({ marks }) => marks.length > 1).length, {
          timeout: 180_000,
        })
        .toBeGreaterThanOrEqual(agents - 1);
      const release = standIn.hold(({ role }) => role.startsWith("agent-"));
      await everySize(app.page, scene, `162-agents-${agents}`);
      expect(await tooSmall(app.page)).toEqual([]);
      release();
    } finally {
      await standIn.close();
    }
  });
