import { expect, type Locator, type Page } from "@playwright/test";
import type { Priority } from "../../src-shared/domain/change-metadata/metadata.ts";

/** Tasks in their priority bands. */
export class QueuePage {
  readonly page: Page;
  readonly region: Locator;

  constructor(page: Page) {
    this.page = page;
    this.region = page.getByRole("region", { name: "Queue", exact: true });
  }

  band(priority: Priority): Locator {
    return this.region.locator(`[data-priority-band="${priority}"]`);
  }

  task(subject: string): Locator {
    return this.region.getByRole("button").filter({ hasText: subject });
  }

  async order(priority: Priority): Promise<string[]> {
    return (await this.band(priority).locator("[data-queue-card]").allInnerTexts()).map((text) =>
      text.trim(),
    );
  }

  /** Drags as a hand does: press, move in steps, release. */
  async drag(subject: string, to: Locator, at: "top" | "bottom" = "bottom"): Promise<void> {
    const from = await boxOf(this.task(subject));
    const target = await boxOf(to);
    const y = at === "top" ? target.y + 2 : target.y + target.height - 2;
    await this.page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(from.x + from.width / 2 + 8, from.y + from.height / 2 + 8, { steps: 4 });
    await this.page.mouse.move(target.x + target.width / 2, y, { steps: 12 });
    await this.page.mouse.up();
  }
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await expect(locator).toBeVisible();
  const box = await locator.boundingBox();
  if (!box) throw new Error("It is not on screen.");
  return box;
}
