import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./longest-first.ts";

const tests = [
  ...["src-*/**/*.test.ts", "src-*/**/*.test.tsx", "build/**/*.test.ts", "bench/**/*.test.ts"],
  ...["e2e/containment/*.test.ts", "e2e/real/*.test.ts"],
];

/** These put another module in the place of one, or set what a module reads once, when it is loaded. */
const ownModules = [
  "src-main/electron/**/*.test.ts",
  "src-main/config/**/*.test.ts",
  "src-main/doctor/**/*.test.ts",
  "src-main/engine/run/fail-open.test.ts",
  "src-main/jj/**/{large,open,process,broken-processes,named-programs}.test.ts",
  "build/**/*.test.ts",
];

/** @param isolate whether each file loads its modules anew, which takes half a second or more for each */
const project = (
  name: string,
  files: { readonly include: string[]; readonly exclude?: string[] },
  isolate: boolean,
): TestProjectInlineConfiguration => ({ extends: true, test: { name, ...files, isolate } });

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    projects: [
      project("shared modules", { include: tests, exclude: ownModules }, false),
      project("own modules", { include: ownModules }, true),
    ],
    environment: "node",
    tags: [
      {
        name: "long",
        description:
          "Another way through a run that others go through too: `npm run -s test:long`, not `npm test`.",
      },
    ],
    sequence: { sequencer: LongestFirst },
    globalSetup: ["build/scratch.ts"],
    setupFiles: ["build/property-seed.ts"],
    env: {
      // What tests start in a Node of its own, the command above all, is compiled once and not each time.
      NODE_COMPILE_CACHE: fileURLToPath(new URL("../.cache/compiled", import.meta.url)),
      // The command takes npm's word for where a user stands; a test's command stands where the test says.
      npm_lifecycle_event: "",
      INIT_CWD: "",
    },
    // Ceilings for what hangs, on a machine that is slow and busy; a test that works never comes near them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // More than the cores of a small machine: two thirds of a test is waiting for jj, for a command, for a file. With the
    // browser's two beside them both come to their end at about the same time.
    maxWorkers: 4,
  },
});
