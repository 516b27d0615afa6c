/** Builds the program that a host gives to machines: one file, with the packages that it needs. */
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** @param {string} path */
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export const workerProgram = "hox-worker.mjs";

/** Before anything of it runs: an older Node has parts of it that fail later, and say less. */
const needsNode = `{ const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) { console.error("Node " + process.versions.node + " is too old for this worker. Install Node 22.12 or later."); process.exit(1); } }`;

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
      target: "node22.12",
      minify: true,
      license: { fileName: "hox-worker.licenses.md" },
      rolldownOptions: {
        treeshake: { moduleSideEffects: "no-external" },
        output: { entryFileNames: workerProgram, codeSplitting: false, banner: needsNode },
      },
    },
  });
}
