import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "electron-vite";
import { buildWorkerProgram } from "./build/worker-program.mjs";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Two shells, a command, the worker thread, the launcher and the runner share one build, so that a chunk they have in common exists once. */
const mainInputs = Object.fromEntries(
  [
    ["electron", at("src-main/electron/main.ts")],
    ["headless", at("src-main/headless.ts")],
    ["cli", at("src-main/cli.ts")],
    ["worker", at("src-main/worker.ts")],
    ["launcher", at("src-main/processes/launcher-main.ts")],
    ["runner", at("src-main/external-agents/runner/runner-main.ts")],
  ].filter(([, file]) => file !== undefined && existsSync(file)),
);

/** What is bundled comes without its own folder, and its terms have to come with it. */
const license = { fileName: "licenses.md" };

/** Packages that DBOS and the client of Postgres would use, and are asked for only where a setting turns them on. */
const optional = [
  ...["@dbos-inc/dbos-enterprise", "winston", "winston-transport", "pg-native"],
  ...["context-async-hooks", "sdk-trace-base", "exporter-trace-otlp-proto", "exporter-logs-otlp-proto"].map(
    (name) => `@opentelemetry/${name}`,
  ),
];

/** Grammars are programs in files of their own (`src-main/imports/grammars.ts`); a build has no package to find them in. */
const grammars = {
  name: "grammars",
  generateBundle(this: { emitFile(file: { type: "asset"; fileName: string; source: Uint8Array }): unknown }) {
    const { resolve } = createRequire(import.meta.url);
    for (const name of ["", "-tsx", "-typescript", "-python", "-rust"].map((end) => `tree-sitter${end}.wasm`))
      this.emitFile({
        type: "asset",
        fileName: `grammars/${name}`,
        source: readFileSync(resolve(`@vscode/tree-sitter-wasm/wasm/${name}`)),
      });
    this.emitFile({
      type: "asset",
      fileName: "grammars/licenses.md",
      source: readFileSync(at("build/grammar-licenses.md")),
    });
  },
};

/** What a host gives to machines is beside its own files. */
const workerProgram = {
  name: "worker-program",
  closeBundle: () => buildWorkerProgram(at("out/main")),
};

const config: UserConfig = {
  main: {
    plugins: [grammars, workerProgram],
    build: {
      outDir: at("out/main"),
      sourcemap: true,
      // All in one, so that a package needs no `node_modules`: most of that folder is what the page has bundled.
      externalizeDeps: false,
      license,
      rolldownOptions: {
        input: mainInputs,
        external: optional,
        output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  },
  preload: {
    build: {
      outDir: at("out/preload"),
      // A sandboxed preload can load nothing but itself, and only as CommonJS.
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: at("src-main/electron/preload.ts") },
        output: { format: "cjs", entryFileNames: "[name].cjs" },
      },
    },
  },
  renderer: {
    root: at("src-renderer"),
    plugins: [react({ jsxImportSource: "#visible-text" }), tailwindcss()],
    build: {
      outDir: at("out/renderer"),
      minify: true,
      license,
      // The content security policy has no room for data: fonts or scripts.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: { input: at("src-renderer/index.html") },
    },
  },
};

export default defineConfig(config);
