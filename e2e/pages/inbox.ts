import { expect, type Locator, type Page } from "@playwright/test";
import type { InboxKind } from "../../src-shared/contract/cards.ts";

/** The decisions that wait. */
export class InboxPage {
  readonly page: Page;
  readonly region: Locator;

  constructor(page: Page) {
    this.page = page;
    this.region = page.getByRole("region", { name: "Inbox", exact: true });
  }

  async open(): Promise<void> {
    await this.page.getByRole("tab", { name: /^Inbox/u }).click();
    await expect(this.region).toBeVisible();
  }

  card(kind: InboxKind): Locator {
    return this.region.locator(`[data-inbox-kind="${kind}"]`);
  }

  /** Waits until a card of this kind is in the inbox and open. */
  async waitFor(kind: InboxKind): Promise<Locator> {
    const card = this.card(kind).first();
    await expect(this.page.getByRole("button", { name: /^Inbox, [1-9]/u })).toBeVisible({ timeout: 120_000 });
    await this.open();
    await expect(card).toBeVisible({ timeout: 120_000 });
    const header = card.locator("h3 button");
    if ((await header.getAttribute("aria-expanded")) === "false") await header.click();
    return card;
  }

  async approve(kind: InboxKind): Promise<void> {
    const card = await this.waitFor(kind);
    const id = await card.getAttribute("aria-label");
    await card.getByRole("button", { name: /^Approve/u }).click();
    await expect(this.region.locator(`[data-inbox-kind="${kind}"][aria-label="${id}"]`)).toHaveCount(0);
  }
}
