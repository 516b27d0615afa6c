import type { Page } from "@playwright/test";
import { largePlanIn } from "./large-plan.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

const panelOf = (page: Page) => page.getByRole("region", { name: "Graph panel" });

/** Positions of the names of tasks in the graph panel, by title: before the approval and after it. */
const lanesOf = (page: Page): Promise<readonly string[]> =>
  panelOf(page).evaluate((panel) => {
    const from = panel.getBoundingClientRect();
    return [...panel.querySelectorAll("[data-plan-part][title], [data-lane-name]")]
      .filter((lane) => !lane.matches("[data-plan-box]") && lane.getAttribute("title")?.includes(", part "))
      .map((lane) => {
        // The whole lane, with the line below it.
        const row = lane.closest("[data-lane]") ?? lane.parentElement ?? lane;
        const { y, height } = row.getBoundingClientRect();
        return `${lane.getAttribute("title")} ${Math.round(y - from.y)} ${Math.round(height)}`;
      })
      .sort((one, other) => Number(one.split(" ").at(-2)) - Number(other.split(" ").at(-2)));
  });

/** What cannot be read: letters that are too small, and what is outside the panel with no way to it. */
const unreadable = (page: Page): Promise<readonly string[]> =>
  panelOf(page).evaluate((panel) => {
    const found: string[] = [];
    const around = panel.getBoundingClientRect();
    for (const element of panel.querySelectorAll<HTMLElement>("*")) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
      if (!hasText || element.closest(".sr-only")) continue;
      const size = Number.parseFloat(getComputedStyle(element).fontSize);
      if (size < 11) found.push(`${element.textContent}: ${size}px`);
      const { left, right } = element.getBoundingClientRect();
      if (left < around.left - 1 || right > around.right + 1) found.push(`${element.textContent} is cut off`);
    }
    const rows = panel.querySelector("[data-plan-rows]");
    for (const lane of panel.querySelectorAll<HTMLElement>("[data-plan-rows] [data-plan-part]")) {
      lane.scrollIntoView({ block: "nearest" });
      const { top, bottom } = lane.getBoundingClientRect();
      const room = rows?.getBoundingClientRect();
      if (!room || top < room.top - 1 || bottom > room.bottom + 1)
        found.push(`${lane.title} cannot be reached`);
    }
    rows?.scrollTo({ top: 0 });
    return found;
  });

test("a plan of 40 tasks is read and changed on its canvas by mouse and by keyboard, and a yes moves nothing", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const { root, standIn } = await largePlanIn(playground);
  try {
    const { app } = await start({ folder: root });
    const { plan, page } = app;
    const graph = page.getByRole("listbox", { name: "Graph" });
    const undone = async (edits: number): Promise<void> => {
      await graph.focus();
      for (let at = 0; at < edits; at++) await page.keyboard.press("ControlOrMeta+z");
      await expect(plan.state).toHaveText("Proposed plan");
    };
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Goal").fill("Make the service ready for its second country");
    await page.keyboard.press("Control+Enter");
    const card = await app.inbox.waitFor("plan");

    await test.step("all of it can be read, large and small, in both themes", async () => {
      await expect(page.locator("[data-plan-rows] [data-plan-box]")).toHaveCount(40);
      // A phase waits for the whole one before it: said once, not from each task to each.
      await expect(page.locator("[data-phase-edge]")).toHaveCount(3);
      await expect(page.locator("[data-plan-wait]")).toHaveCount(4);
      for (const [width, height, colorScheme] of [
        [1024, 700, "dark"],
        [1440, 900, "light"],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        await expect.poll(() => unreadable(page)).toEqual([]);
        await scene(`86-plan-at-size-${width}-${colorScheme}`);
      }
      await accessible("a plan of 40 tasks");
    });

    await test.step("by mouse", async () => {
      await plan.part("mail templates, part 8").click();
      await plan.inspector.getByLabel("Title").fill("Read addresses, renamed");
      await plan.inspector.getByLabel("Files it may change").fill("src/addresses.ts");
      await plan.inspector.getByRole("button", { name: "Priority: high" }).click();
      await page.getByRole("menuitemcheckbox", { name: "low" }).click();
      await expect(plan.part("Read addresses, renamed")).toHaveCount(1);
      await plan.drag(plan.part("Read addresses, renamed"), plan.band(2).first(), async () => {
        await expect(
          plan.preview("“Read addresses, renamed” moves to phase 2: Move the callers"),
        ).toBeVisible();
        await scene("87-plan-at-size-dragged");
      });
      await expect(plan.inspector.getByRole("heading", { name: "Task of phase 2" })).toBeVisible();
      await plan.drag(plan.part("Move prices that depend on a date, part 16"), plan.part("restart, part 5"));
      await expect(page.locator("[data-plan-wait]")).toHaveCount(5);
      await page.getByRole("button", { name: "Add a task to phase 3" }).click();
      await expect(plan.inspector.getByLabel("Title")).toBeFocused();
      await expect(plan.bar).toContainText("41 tasks");
      await plan.part("invoice lines, part 1").first().click({ button: "right" });
      await page.getByRole("menuitem", { name: "Remove from the plan" }).click();
      await expect(plan.bar).toContainText("40 tasks");
      // Three files that are claimed are settled by one remedy, at their lanes.
      await page.getByRole("button", { name: /same file in 3 tasks/u }).click();
      await page.getByRole("menuitem", { name: "Run the 3 one after another" }).click();
      // The added task has neither a description nor files.
      await expect(plan.bar).toContainText("1 problem");
      await expect(page.getByRole("button", { name: /same file in/u })).toHaveCount(0);
      await undone(8);
    });

    await test.step("by keyboard", async () => {
      await graph.focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await expect(plan.inspector.getByLabel("Title")).toBeFocused();
      await page.keyboard.type("Remove what is left");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("src/left.ts");
      await page.keyboard.press("Escape");
      await expect(graph).toBeFocused();
      await page.keyboard.press("[");
      await page.keyboard.press("1");
      await expect(plan.inspector.getByRole("heading", { name: "Task of phase 3" })).toBeVisible();
      await expect(plan.inspector.getByRole("button", { name: "Priority: critical" })).toBeVisible();
      await page.keyboard.press("l");
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await expect(page.locator("[data-plan-wait]")).toHaveCount(5);
      await page.keyboard.press("n");
      await expect(plan.inspector.getByLabel("Title")).toBeFocused();
      await page.keyboard.type("Say it in the guide");
      await page.keyboard.press("Escape");
      await expect(graph).toBeFocused();
      await expect(plan.bar).toContainText("41 tasks");
      await page.keyboard.press("Delete");
      await expect(plan.bar).toContainText("40 tasks");
      await undone(8);
    });

    await test.step("no edit takes a user's view away, and a yes moves no lane", async () => {
      const rows = page.locator("[data-plan-rows]");
      await rows.evaluate((element) => element.scrollTo({ top: 120 }));
      await app.inbox.open();
      await card.getByLabel("Title").first().fill("Read amounts, part 1");
      await expect(plan.part("Read amounts, part 1")).toHaveCount(1);
      expect(await rows.evaluate((element) => element.scrollTop)).toBe(120);
      await rows.evaluate((element) => element.scrollTo({ top: 0 }));
      // One place says yes, and one key.
      await expect(page.getByRole("button", { name: /^Approve/u })).toHaveCount(1);
      const before = await lanesOf(page);
      expect(before).toHaveLength(40);
      await page.keyboard.press("ControlOrMeta+Enter");
      await expect(plan.bar).toHaveCount(0);
      await expect(app.graph.lane("Read amounts, part 1")).toBeVisible();
      await expect.poll(() => lanesOf(page)).toEqual(before);
      await scene("88-plan-at-size-approved");
    });

    await test.step("a lane goes as far as its phase, which is seen and said while it is dragged, and spoken at a key", async () => {
      const canvas = page.getByRole("region", { name: "Graph", exact: true });
      const begun = canvas.locator("[data-lane][data-change-id][data-phase='1']");
      await expect(begun).toHaveCount(10, { timeout: 60_000 });
      const titles = async (): Promise<readonly string[]> =>
        (await lanesOf(page)).slice(0, 10).map((lane) => lane.replace(/ \d+ \d+$/u, ""));
      const [first = "", second = ""] = await titles();
      const nameOf = (title: string) => canvas.locator(`[data-lane-name][title="${title}"]`);
      const later = nameOf("Move time zones of appointments, part 13");
      const from = await nameOf(second).boundingBox();
      const to = await later.boundingBox();
      if (!from || !to) throw new Error("The lanes are not on screen.");
      const why = "Phase 2 depends on phase 1, so this task cannot move further down.";
      await page.mouse.move(from.x + 60, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + 66, to.y + 3, { steps: 8 });
      await expect(page.locator("[data-drag-ghost]")).toContainText(why);
      await expect(canvas.getByRole("status").filter({ hasText: why })).toHaveCount(1);
      const band = await canvas.locator("[data-drop-band]").boundingBox();
      const last = await app.graph.lane((await titles()).at(-1) ?? "").boundingBox();
      expect(Math.round((band?.y ?? 0) + (band?.height ?? 0))).toBe(
        Math.round((last?.y ?? 0) + (last?.height ?? 0)),
      );
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        await scene(`89-lane-at-the-end-of-its-phase-${colorScheme}`);
      }
      await page.mouse.up();
      await expect(canvas.locator("[data-drop-band]")).toHaveCount(0);
      // It is where it was dropped.
      await expect.poll(async () => (await titles()).at(-1)).toBe(second);

      await nameOf(second).focus();
      await page.keyboard.press("Alt+ArrowDown");
      const refused = canvas.getByRole("status").filter({ hasText: why });
      await expect(refused).toBeVisible();
      const more = canvas.getByRole("button", { name: /^\d+ more below/u });
      const [output, hidden] = [await refused.boundingBox(), await more.boundingBox()];
      expect(
        (output?.y ?? 0) + (output?.height ?? 0),
        "above how many lanes are out of sight",
      ).toBeLessThanOrEqual(hidden?.y ?? 0);
      await scene("89-lane-goes-no-further");
      await accessible("a lane that goes no further");
      await page.keyboard.press("Alt+ArrowUp");
      await expect(canvas.getByRole("status").filter({ hasText: why })).toHaveCount(0);
      await expect.poll(async () => (await titles()).indexOf(second)).toBe(8);
      expect((await titles())[0]).toBe(first);
    });
  } finally {
    await standIn.close();
  }
});
