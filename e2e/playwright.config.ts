import { defineConfig } from "@playwright/test";
import { onPath, toolPath } from "../src-main/config/tools.ts";

/** The one without a window's parts, where there is one (`build/setup/browser.mjs`). */
const shell = process.env.HOX_BROWSER ? undefined : onPath(["chromium-headless-shell"]);
const browser = shell ?? toolPath("browser");

export default defineConfig({
  testDir: ".",
  // What else is tried from here runs beside the unit tests.
  testMatch: "**/*.spec.ts",
  // Electron has a separate suite: its program cannot be had everywhere.
  testIgnore: "**/e2e/electron/**",
  outputDir: "../test-results/browser",
  globalSetup: "../build/scratch.ts",
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // Each test has a host, agents and a browser, and leaves 0.4 of a core free while it waits for them; the unit tests that
  // run at the same time leave more. One at a time took longer than all of those, with half of the machine idle.
  workers: 2,
  forbidOnly: true,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [["list"], ["json"]] : [["list"]],
  use: {
    browserName: "chromium",
    headless: true,
    viewport: { width: 1440, height: 900 },
    // A trace holds the steps and what they asked. Copies of the page for each step were 8 % of a scene's time, and pictures
    // of the screen, without a graphics card, two fifths.
    // What breathes and travels for as long as an agent thinks is drawn sixty times a second, without a graphics card by
    // the processor that the agents need. Two suites keep it: the graph that follows a terminal, and the queue's drags.
    contextOptions: { reducedMotion: "reduce" },
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false },
    launchOptions: {
      executablePath: browser,
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-gpu",
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ],
    },
  },
});
