import { expect, type Locator, type Page } from "@playwright/test";

type Entry =
  | "Pause"
  | "Resume"
  | "Retry"
  | "Message…"
  | "Ask…"
  | "Reassign…"
  | "Take over"
  | "Return task…"
  | "Budget…"
  | "Undo this agent’s work…";

/** What a user does with one agent: the menu in the inspector, its dialogs, and the palette's way to them. */
export class AgentPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get button(): Locator {
    return this.page.getByRole("region", { name: "Inspector", exact: true }).getByRole("button", {
      name: "Agent",
      exact: true,
    });
  }

  entry(name: Entry): Locator {
    return this.page.getByRole("menuitem", { name });
  }

  /** Opens the menu and chooses, by keyboard alone. */
  async choose(name: Entry): Promise<void> {
    await this.button.focus();
    await this.page.keyboard.press("Enter");
    await expect(this.entry(name)).toBeVisible();
    await expect(async () => {
      const reached = (await this.entry(name).getAttribute("data-highlighted")) !== null;
      if (!reached) await this.page.keyboard.press("ArrowDown");
      expect(reached).toBe(true);
    }).toPass({ intervals: [50] });
    await this.page.keyboard.press("Enter");
  }

  /** Does it to the selected change's agent from the palette. */
  async command(words: string): Promise<void> {
    await this.page.keyboard.press("ControlOrMeta+k");
    const palette = this.page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill(words);
    await expect(palette.getByRole("option").first()).toBeVisible();
    await this.page.keyboard.press("Enter");
    await expect(palette).toHaveCount(0);
  }

  undoDialog(agent: string): Locator {
    return this.page.getByRole("dialog", { name: new RegExp(`the work of ${agent}`, "iu") });
  }

  takeoverDialog(agent: string): Locator {
    return this.page.getByRole("dialog", { name: `The task of ${agent} is assigned to you` });
  }

  messageDialog(agent: string): Locator {
    return this.page.getByRole("dialog", { name: `Message to ${agent}` });
  }
}
