/**
 * What nothing uses: files, exports, packages. With `--production` only the product counts, so that code which only tests
 * read is found as well; what a file exports for its test and uses itself may stay.
 *
 * @param {{ production?: boolean }} options
 * @returns {import("knip").KnipConfig}
 */
export default ({ production = false }) => ({
  entry: [
    "src-main/{cli,headless,served-worker,worker}.ts!",
    "src-main/electron/{main,preload}.ts!",
    // Started as a process of its own.
    "src-main/processes/launcher-main.ts!",
    "src-main/external-agents/runner/runner-main.ts!",
    "src-main/external-agents/testing/{child-host.ts,scripted-agent.mjs}",
    "src-renderer/main.tsx!",
    // The compiler imports it in each file of the window.
    "src-renderer/visible-text/{jsx-runtime,jsx-dev-runtime}.ts!",
    "src-main/engine/testing/{child-host,kill-everywhere}.ts",
    "src-main/electron/testing/{electron-process,use-electron-process}.ts",
    "src-main/transport/testing/flood.ts",
    "bench/{run,bench-program,*.bench}.ts",
    "bench/{soak/main,measured-host/program}.ts",
    "e2e/containment/{main,run-mutants,apply-mutant,child-host}.ts",
    "e2e/real/{main,runners}.ts",
    "e2e/agents/main.ts",
    "build/*.{mjs,cjs}",
    "build/{scratch,property-seed}.ts",
  ],
  project: [
    "src-{main,shared,renderer}/**/*.{ts,tsx,mjs}!",
    "!**/testing/**!",
    "!**/*.test.{ts,tsx}!",
    "{build,bench,e2e}/**/*.{ts,mjs,cjs}",
  ],
  // What rehearsals' agents write: its imports are resolved in the rehearsal's repository.
  ignore: ["resources/rehearsal/**"],
  // It takes the window's own JSX for a package.
  typescript: false,
  vitest: { config: ["build/vitest.config.ts"] },
  playwright: { config: ["e2e/{,electron/}playwright.config.ts"], entry: ["e2e/**/*.spec.ts"] },
  ignoreExportsUsedInFile: production,
  // Started by their paths.
  ignoreDependencies: ["@biomejs/biome", "dependency-cruiser", "electron-builder", "typescript-native"],
  ignoreUnresolved: ["#visible-text"],
  // Of the system.
  ignoreBinaries: ["mkfifo", "mount", "umount", "openssl", "xdg-open"],
});
