/** One benchmark in a separate process: `node bench-program.ts <file>`. It sends its rows to the parent. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bench, Row } from "./row.ts";

const [file = ""] = process.argv.slice(2);

function isBench(value: unknown): value is Bench {
  return typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";
}

const tell = (row: Row): Promise<void> =>
  new Promise((resolve, reject) => {
    if (!process.send) throw new Error("Nobody listens: `npm run bench` starts this program.");
    process.send(row, (error: Error | null) => (error ? reject(error) : resolve()));
  });

async function measure(): Promise<number> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(file).href);
    if (!isBench(module.default)) throw new Error(`${file} has no default export {name, run()}.`);
    for await (const row of module.default.run()) await tell(row);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`bench: ${basename(file, ".bench.ts")} broke: ${message}\n`);
    return 1;
  }
}

// The parent has died, so that nothing else would end this.
process.on("disconnect", () => process.exit(1));
// What a benchmark left open does not keep the next one waiting.
process.exit(await measure());
