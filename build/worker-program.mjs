/** Builds the program that a host gives to machines: one file, with the packages that it needs. */
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** @param {string} path */
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export const workerProgram = "hox-worker.mjs";

/** One file, with the packages that it needs. */
const oneFile = {
  configFile: /** @type {const} */ (false),
  root: at(".."),
  logLevel: /** @type {const} */ ("error"),
  ssr: { noExternal: /** @type {const} */ (true) },
};
const target = "node22.13";

const licenses = "runner.licenses.md";

/** In place of an import that ends in `?program`: the text of what is imported, as a program in one file. */
const programs = {
  name: "programs",
  /**
   * @this {import("vite").Rollup.PluginContext}
   * @param {string} id
   */
  async load(id) {
    if (!id.endsWith("?program")) return null;
    const made = await build({
      ...oneFile,
      build: {
        ...{ write: false, ssr: id.slice(0, -"?program".length), target, minify: true },
        license: { fileName: licenses },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    });
    const [first] = Array.isArray(made) ? made : [made];
    const output = first !== undefined && "output" in first ? first.output : [];
    const [chunk] = output;
    if (chunk?.type !== "chunk") throw new Error(`${id} was not built.`);
    for (const one of output)
      if (one.type === "asset" && one.fileName === licenses)
        this.emitFile({ type: "asset", fileName: `hox-worker.${licenses}`, source: one.source });
    return `export default ${JSON.stringify(chunk.code)}`;
  },
};

/**
 * @param {string} folder
 * @param {import("vite").Plugin[]} [plugins]
 */
export async function buildWorkerProgram(folder, plugins = []) {
  await build({
    ...oneFile,
    plugins: [programs, ...plugins],
    build: {
      outDir: folder,
      emptyOutDir: false,
      ssr: at("../src-main/served-worker.ts"),
      ssrEmitAssets: true,
      target,
      minify: true,
      license: { fileName: "hox-worker.licenses.md" },
      rolldownOptions: {
        output: { entryFileNames: workerProgram, codeSplitting: false },
      },
    },
  });
}
