import { expect, type Locator, type Page } from "@playwright/test";

/** A proposed plan on the graph, and tasks added to an active run. */
export class PlanPage {
  readonly page: Page;
  readonly bar: Locator;

  constructor(page: Page) {
    this.page = page;
    this.bar = page.getByRole("region", { name: "Plan", exact: true });
  }

  /** A part on the canvas or in the log, by the words in it. */
  part(title: string): Locator {
    return this.page.locator("[data-plan-part]").filter({ hasText: title });
  }

  band(phase: number): Locator {
    return this.page.locator(`[data-phase-band="${phase}"]`);
  }

  get inspector(): Locator {
    return this.page.locator("[data-plan-inspector]");
  }

  get state(): Locator {
    return this.bar.getByText(/^Proposed plan/u);
  }

  /** Drags as a hand does; `meanwhile` looks at the preview before the drop. */
  async drag(from: Locator, to: Locator, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const [start, end] = [await middleOf(from), await middleOf(to)];
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    await this.page.mouse.move(start.x + 8, start.y + 4, { steps: 3 });
    await this.page.mouse.move(end.x, end.y, { steps: 10 });
    await meanwhile();
    await this.page.mouse.up();
  }

  /** What is said about the link that is on its way. */
  preview(words: string | RegExp): Locator {
    return this.page.getByRole("status").filter({ hasText: words });
  }

  /** The form for a task of the active run. */
  get form(): Locator {
    return this.page.getByRole("dialog", { name: "Add a task to the run" });
  }
}

/** Its final position: an edit moves what is next to it. */
async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  await expect(locator).toBeVisible();
  let last = "";
  await expect
    .poll(
      async () => {
        const now = JSON.stringify(await locator.boundingBox());
        const rests = now === last;
        last = now;
        return rests;
      },
      { intervals: [250] },
    )
    .toBe(true);
  const box = await locator.boundingBox();
  if (!box) throw new Error("It is not on screen.");
  return { x: box.x + box.width / 3, y: box.y + box.height / 2 };
}
