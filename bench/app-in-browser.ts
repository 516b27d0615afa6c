import { join } from "node:path";
import { chromium, type Page } from "playwright";
import { Playground, TestHost } from "../e2e/host.ts";
import { toolPath } from "../src-main/config/tools.ts";
import { generateRepository } from "../src-main/jj/testing/generate-repository.ts";

/** `HOX_BENCH_SLOWNESS=20` measures what a machine sees whose processor is that many times slower. */
const slowness = Number(process.env.HOX_BENCH_SLOWNESS ?? 1);

export interface AppInBrowser {
  readonly page: Page;
  /** Process id of the host. */
  readonly host: number | undefined;
  close(): Promise<void>;
}

/** The built app as a user sees it: real host, real browser. */
export async function openApp(playground: Playground, folder?: string): Promise<AppInBrowser> {
  const host = await TestHost.start(playground, folder === undefined ? {} : { folder });
  const browser = await chromium.launch({
    executablePath: toolPath("browser"),
    args: [
      "--disable-background-networking",
      "--disable-gpu",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  if (slowness > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  }
  await page.goto(await host.address());
  return {
    page,
    host: host.pid,
    close: async () => {
      await browser.close();
      await host.stop();
    },
  };
}

/** The window marks the operation that it has painted; waits until it is this one, or any. */
export async function painted(page: Page, operation?: string): Promise<void> {
  const marked = operation === undefined ? "[data-operation]" : `[data-operation="${operation}"]`;
  await page.locator(marked).waitFor({ state: "attached", timeout: 60_000 });
}

/** Writes the time (ms since 1970) at which each operation was painted to `paintedAt` in the page. */
export const recordPaints = `
  globalThis.paintedAt = {};
  new MutationObserver((records) => {
    for (const { target } of records)
      globalThis.paintedAt[target.dataset.operation] = performance.timeOrigin + performance.now();
  }).observe(document.documentElement, { subtree: true, attributeFilter: ["data-operation"] });
`;

export const now = (): number => performance.timeOrigin + performance.now();

/** A playground with a generated repository; `remove` takes both away. */
export async function playgroundWith(options: {
  changes: number;
  mutable?: number;
}): Promise<{ playground: Playground; root: string }> {
  const playground = await Playground.make();
  const root = join(playground.folder, "repository");
  process.env.JJ_CONFIG = playground.environment.JJ_CONFIG;
  await generateRepository(root, options);
  return { playground, root };
}
