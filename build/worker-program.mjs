/** Builds the program that a host gives to machines: one file, with the packages that it needs. */
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** @param {string} path */
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export const workerProgram = "hox-worker.mjs";

/**
 * @param {string} folder
 * @param {import("vite").Plugin[]} [plugins]
 */
export async function buildWorkerProgram(folder, plugins = []) {
  await build({
    configFile: false,
    root: at(".."),
    logLevel: "error",
    plugins,
    ssr: { noExternal: true },
    build: {
      outDir: folder,
      emptyOutDir: false,
      ssr: at("../src-main/served-worker.ts"),
      target: "node22.13",
      minify: true,
      license: { fileName: "hox-worker.licenses.md" },
      rolldownOptions: {
        output: { entryFileNames: workerProgram, codeSplitting: false },
      },
    },
  });
}
