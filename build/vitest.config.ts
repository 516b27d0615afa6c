import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: [
      ...["src-*/**/*.test.ts", "src-*/**/*.test.tsx", "build/**/*.test.ts", "bench/**/*.test.ts"],
      "e2e/containment/*.test.ts",
    ],
    environment: "node",
    globalSetup: ["build/scratch.ts"],
    setupFiles: ["build/property-seed.ts"],
    // What tests start in a Node of its own, the command above all, is compiled once and not each time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("../.cache/compiled", import.meta.url)) },
    // Ceilings for what hangs, on a machine that is slow and busy; a test that works never comes near them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    // Where nobody can look again by hand; a test that needed it is named beside the result.
    retry: process.env.CI ? 1 : 0,
  },
});
