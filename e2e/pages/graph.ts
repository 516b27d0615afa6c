import { expect, type Locator, type Page } from "@playwright/test";

/** The change graph in the middle: as a log, and as the canvas of a run. */
export class GraphPage {
  readonly page: Page;
  readonly grid: Locator;
  readonly filter: Locator;

  constructor(page: Page) {
    this.page = page;
    this.grid = page.getByRole("grid", { name: "Graph" });
    this.filter = page.getByRole("combobox", { name: "Search or filter" });
  }

  async shown(): Promise<void> {
    const planned = this.page.getByRole("listbox", { name: "Graph" });
    const canvas = this.page.getByRole("region", { name: "Graph", exact: true });
    await expect(this.grid.or(planned).or(canvas)).toBeVisible();
    await expect(this.page.locator("[data-operation]")).toBeAttached();
  }

  /** The row of a change, by its subject. */
  row(subject: string | RegExp): Locator {
    return this.grid.getByRole("row").filter({ hasText: subject });
  }

  change(changeId: string): Locator {
    return this.grid.locator(`[role=row][data-change-id="${changeId}"]`);
  }

  /** The lane of a task on the canvas of a run. */
  lane(title: string): Locator {
    return this.page.getByRole("region", { name: "Graph" }).getByRole("group", { name: title, exact: true });
  }

  get filterProblem(): Locator {
    return this.page.locator("#graph-filter-error");
  }

  get dimmed(): Locator {
    return this.grid.locator("[data-dimmed]");
  }
}
