import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results/electron",
  timeout: 180_000,
  expect: { timeout: 60_000 },
  // One app at a time: each takes the keyboard's focus.
  workers: 1,
  forbidOnly: true,
  use: { trace: "retain-on-failure" },
});
