import { expect, type Locator, type Page } from "@playwright/test";
import { AgentPage } from "./agent.ts";
import { GraphPage } from "./graph.ts";
import { InboxPage } from "./inbox.ts";
import { InspectorPage } from "./inspector.ts";
import { OperationsPage } from "./operations.ts";
import { PlanPage } from "./plan.ts";
import { QueuePage } from "./queue.ts";

/** The window: welcome screen, header and dialogs; one object per panel below it. */
export class App {
  readonly page: Page;
  readonly agent: AgentPage;
  readonly graph: GraphPage;
  readonly queue: QueuePage;
  readonly inbox: InboxPage;
  readonly inspector: InspectorPage;
  readonly operations: OperationsPage;
  readonly plan: PlanPage;

  constructor(page: Page) {
    this.page = page;
    this.agent = new AgentPage(page);
    this.graph = new GraphPage(page);
    this.queue = new QueuePage(page);
    this.inbox = new InboxPage(page);
    this.inspector = new InspectorPage(page);
    this.operations = new OperationsPage(page);
    this.plan = new PlanPage(page);
  }

  async goto(address: string): Promise<void> {
    await this.page.goto(address);
    await expect(this.page, "the token leaves the address bar").toHaveURL(/^http:\/\/127\.0\.0\.1:\d+\/$/u);
  }

  get welcome(): Locator {
    return this.rehearsals.first();
  }

  /** What can be watched without a key. */
  get rehearsals(): Locator {
    return this.page.getByRole("list", { name: "Rehearsals" }).getByRole("button");
  }

  /** @param title of another one than the first */
  async watchRehearsal(title?: string): Promise<void> {
    await expect(this.welcome).toBeVisible();
    await (title === undefined ? this.welcome : this.rehearsals.filter({ hasText: title })).click();
    await this.graph.shown();
  }

  /** Opens the picker and asks for a folder by its path. */
  async openFolder(path: string): Promise<void> {
    await this.page.getByRole("button", { name: /^Open a folder/u }).click();
    const dialog = this.page.getByRole("dialog", { name: "Open a repository" });
    await expect(dialog.getByRole("listbox", { name: "Folders" })).toBeVisible();
    // The home folder is listed first; typing before that would be overwritten.
    await expect(dialog.getByRole("textbox", { name: "Path" })).not.toHaveValue("");
    await dialog.getByRole("textbox", { name: "Path" }).fill(path);
    await dialog.getByRole("button", { name: "Open this folder" }).click();
  }

  /** Why the folder in the picker cannot be opened, and what to do. */
  get folderProblem(): Locator {
    return this.page.getByRole("dialog", { name: "Open a repository" }).getByRole("alert");
  }

  /** What the header says of the run. */
  get runLine(): Locator {
    return this.page.getByRole("banner").getByRole("status");
  }

  control(name: "Pause" | "Resume" | "Stop"): Locator {
    return this.page.getByRole("group", { name: "Run controls" }).getByRole("button", { name });
  }

  get budget(): Locator {
    return this.page.getByRole("banner").getByRole("button", { name: /^Budget: \$/u });
  }

  get connectionLost(): Locator {
    return this.page.getByText("The connection to Hox was lost.");
  }

  dialog(name: string | RegExp): Locator {
    return this.page.getByRole("dialog", { name });
  }

  get notices(): Locator {
    return this.page.getByRole("region", { name: "Notifications" });
  }

  /** The page itself must never scroll: its panels do. */
  async fits(): Promise<void> {
    const overflow = await this.page.evaluate(() => ({
      across: document.documentElement.scrollWidth - window.innerWidth,
      down: document.documentElement.scrollHeight - window.innerHeight,
      inside: [...document.querySelectorAll("#root, #root > *")].map(
        (element) => element.scrollHeight - element.clientHeight,
      ),
    }));
    expect(overflow.across).toBeLessThanOrEqual(0);
    expect(overflow.down).toBeLessThanOrEqual(0);
    expect(Math.max(...overflow.inside), "nothing scrolls that is as high as the window").toBeLessThanOrEqual(
      0,
    );
  }
}
