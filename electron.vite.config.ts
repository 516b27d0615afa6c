import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "electron-vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Two shells and a command share one build, so that a chunk they have in common exists once. */
const mainInputs = Object.fromEntries(
  [
    ["electron", at("src-main/electron/main.ts")],
    ["headless", at("src-main/headless.ts")],
    ["cli", at("src-main/cli.ts")],
  ].filter(([, file]) => file !== undefined && existsSync(file)),
);

/** What is bundled comes without its own folder, and its terms have to come with it. */
const license = { fileName: "licenses.md" };

const config: UserConfig = {
  main: {
    build: {
      outDir: at("out/main"),
      sourcemap: true,
      // All in one, so that a package needs no `node_modules`: most of that folder is what the page has bundled.
      externalizeDeps: false,
      license,
      rolldownOptions: {
        input: mainInputs,
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
    plugins: [react(), tailwindcss()],
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
