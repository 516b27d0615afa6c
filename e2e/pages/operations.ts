import { expect, type Locator, type Page } from "@playwright/test";

/** The operation log at the lower edge; hidden until asked for. */
export class OperationsPage {
  readonly page: Page;
  readonly region: Locator;

  constructor(page: Page) {
    this.page = page;
    this.region = page.getByRole("region", { name: "Operations", exact: true });
  }

  async open(): Promise<void> {
    if (!(await this.region.isVisible())) await this.page.getByRole("button", { name: "Operations" }).click();
    await expect(this.region).toBeVisible();
  }
}
