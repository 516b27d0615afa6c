import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Bench, type Row, table } from "./row.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const ending = ".bench.ts";
const files = readdirSync(here)
  .filter((name) => name.endsWith(ending))
  .sort();
const names = files.map((file) => file.slice(0, -ending.length));

function isBench(value: unknown): value is Bench {
  return typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";
}

/** The benchmarks asked for by name, or all; an unknown name is a usage error. */
function chosen(wanted: readonly string[]): readonly string[] {
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown === undefined) return wanted.length > 0 ? wanted : names;
  process.stderr.write(`There is no benchmark "${unknown}". There are: ${names.join(", ") || "none"}.\n`);
  process.exit(2);
}

const rows: Row[] = [];
let broken = 0;
for (const name of chosen(process.argv.slice(2))) {
  process.stderr.write(`bench: ${name}\n`);
  try {
    const module: { default?: unknown } = await import(new URL(`${name}${ending}`, import.meta.url).href);
    if (!isBench(module.default))
      throw new Error(`bench/${name}${ending} has no default export {name, run()}.`);
    rows.push(...(await module.default.run()));
  } catch (error) {
    broken += 1;
    process.stderr.write(
      `bench: ${name} broke: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`,
    );
  }
}
if (rows.length > 0)
  process.stdout.write(`${table(rows)}\n${rows.map((each) => JSON.stringify(each)).join("\n")}\n`);
// A number that was missed is a result; only a benchmark that could not measure is an error.
process.exit(broken > 0 ? 1 : 0);
