import { expect, type Locator, type Page } from "@playwright/test";

/** Everything about the selected change. */
export class InspectorPage {
  readonly page: Page;
  readonly region: Locator;

  constructor(page: Page) {
    this.page = page;
    this.region = page.getByRole("region", { name: "Inspector", exact: true });
  }

  async open(): Promise<void> {
    await this.page.getByRole("tab", { name: "Inspector" }).click();
    await expect(this.region).toBeVisible();
  }

  async show(
    side: "Details" | "Diff" | "Agent" | "Checks" | "Messages" | "Votes" | "Metrics",
  ): Promise<void> {
    await this.region.getByRole("tab", { name: new RegExp(`^${side}`, "u") }).click();
  }

  /** Where a user writes to whose conversation is shown. */
  composer(name: string): Locator {
    return this.region.getByRole("textbox", { name: `Write to ${name}` });
  }

  get title(): Locator {
    return this.region.getByRole("heading", { level: 2 });
  }

  /** A worker's row in the overview of the run. */
  worker(name: string): Locator {
    return this.region.locator(`[data-worker="${name}"]`);
  }

  seats(vote?: string): Locator {
    return this.region.locator(vote ? `[data-seat][data-vote="${vote}"]` : "[data-seat]");
  }
}
