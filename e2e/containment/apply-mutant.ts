/**
 * Loaded before `main.ts` (`node --import`), also in the processes that it starts: makes one hole in the host's code while
 * that is loaded. The name of the mutant comes in its own address, so that nothing but the suite can ask for one.
 */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { mutants } from "./mutants.ts";

const name = new URL(import.meta.url).searchParams.get("mutant");
const mutant = mutants.find((one) => one.name === name);
if (!mutant) throw new Error(`No mutant is called ${name}.`);
const project = fileURLToPath(new URL("../../", import.meta.url));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:") || fileURLToPath(url) !== `${project}${mutant.file}`) return loaded;
    const source = String(loaded.source);
    if (source.split(mutant.code).length !== 2)
      throw new Error(`${mutant.file} has to hold this exactly once: ${mutant.code}`);
    return { ...loaded, source: source.replace(mutant.code, () => mutant.hole) };
  },
});
