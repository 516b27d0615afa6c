import { test as base, type Page } from "@playwright/test";
import { expectAccessible } from "./accessible.ts";
import { Playground, TestHost } from "./host.ts";
import { App } from "./pages/app.ts";

interface Fixtures {
  /** How the graph is shown while a run is on screen. People meet the canvas; most walks read rows of the log. */
  readonly runView: "log" | "canvas";
  /** The tour of rehearsals pauses them at what passes quickly; only walks that are about the tour take it. */
  readonly tour: "open" | "left";
  readonly playground: Playground;
  /** Starts the host with a folder (or none) and opens the app; every host is stopped after the test. */
  readonly start: (options?: { folder?: string; pace?: number }) => Promise<{ app: App; host: TestHost }>;
  /** Takes a picture of the whole window for people to look at. */
  readonly scene: (name: string) => Promise<void>;
  /** The same in light, and in dark in a small window. */
  readonly scenes: (name: string) => Promise<void>;
  /** Runs axe on the screen, in light and in dark. */
  readonly accessible: (screen: string) => Promise<void>;
}

export const test = base.extend<Fixtures>({
  runView: ["log", { option: true }],
  tour: ["left", { option: true }],
  playground: async ({ runView, tour }, use) => {
    const playground = await Playground.make();
    await playground.prefer({ runView, tour });
    await use(playground);
    await playground.remove();
  },
  start: async ({ page, playground }, use, info) => {
    const hosts: TestHost[] = [];
    const problems = watchForProblems(page);
    await page.context().addInitScript(keepNotices);
    await use(async (options) => {
      const host = await TestHost.start(playground, options);
      hosts.push(host);
      const app = new App(page);
      await app.goto(await host.address());
      return { app, host };
    });
    // What a page asks of a host that is being stopped is no defect of the page.
    const found = [...problems];
    const hasFailed = info.status !== info.expectedStatus;
    const attach = (name: string, body: string) => info.attach(name, { body, contentType: "text/plain" });
    // What Playwright adds itself shows the page after its host was stopped.
    if (hasFailed && !page.isClosed()) await attach("page", await page.locator("body").ariaSnapshot());
    for (const host of hosts) await host.stop();
    if (hasFailed) for (const host of hosts) await attach("host", host.output);
    test.expect(found, "errors in the window").toEqual([]);
    for (const host of hosts) test.expect(host.output).not.toContain("Internal error");
  },
  scene: async ({ page }, use) => {
    await use(async (name) => {
      if (process.env.HOX_TEST_PICTURES === "no") return;
      await page.screenshot({ path: `test-results/scenes/${name}.png`, animations: "disabled" });
    });
  },
  scenes: async ({ page, scene }, use) => {
    await use(async (name) => {
      await scene(`${name}-light`);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 1024, height: 700 });
      await scene(`${name}-dark-small`);
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 1440, height: 900 });
    });
  },
  accessible: async ({ page }, use) => {
    await use((screen) => test.step(`axe on ${screen}`, () => expectAccessible(page, screen)));
  },
});

export { expect } from "@playwright/test";

/**
 * Most notifications leave after six seconds (`state/notify.ts`): here they stay for thirty, because on a busy machine a test
 * may need longer than a user to read or press them. No other timer of the window has this length.
 */
function keepNotices(): void {
  const set = window.setTimeout.bind(window);
  const later = (run: () => void, ms?: number, ...rest: unknown[]): number =>
    set(run, ms === 6_000 ? 30_000 : ms, ...rest);
  Object.assign(window, { setTimeout: later });
}

/** Uncaught errors and blocked content are defects, whatever the test looks at. */
function watchForProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/WebSocket|ERR_CONNECTION/u.test(message.text()))
      problems.push(message.text());
  });
  return problems;
}
