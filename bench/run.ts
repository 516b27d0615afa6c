import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runBench } from "./bench-process.ts";
import { type Row, tableHead, tableLine } from "./row.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const ending = ".bench.ts";
const names = readdirSync(here)
  .filter((name) => name.endsWith(ending))
  .sort()
  .map((file) => file.slice(0, -ending.length));

/** The benchmarks asked for by name, or all; an unknown name is a usage error. */
function chosen(wanted: readonly string[]): readonly string[] {
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown === undefined) return wanted.length > 0 ? wanted : names;
  process.stderr.write(`There is no benchmark "${unknown}". There are: ${names.join(", ") || "none"}.\n`);
  process.exit(2);
}

function commandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      // What benchmarks need goes to their processes by the environment: a real model, and of `teams` how much is run.
      options: {
        "key-env": { type: "string" },
        endpoint: { type: "string" },
        model: { type: "string" },
        all: { type: "boolean" },
        faulty: { type: "boolean" },
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

const { values: options, positionals: wanted } = commandLine();
for (const [name, value] of Object.entries(options))
  if (value !== undefined) process.env[`HOX_BENCH_${name.replaceAll("-", "_").toUpperCase()}`] = `${value}`;

const stop = new AbortController();
const signals: readonly NodeJS.Signals[] =
  process.platform === "win32" ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
let stoppedBy: NodeJS.Signals | null = null;
for (const signal of signals)
  process.on(signal, () => {
    stoppedBy ??= signal;
    stop.abort();
  });

let isHeadPrinted = false;
function print(row: Row): void {
  const head = isHeadPrinted ? "" : `${tableHead}\n`;
  isHeadPrinted = true;
  process.stdout.write(`${head}${tableLine(row)}\n${JSON.stringify(row)}\n`);
}

/** Whether it could measure. What it left behind in temporary folders goes with it. */
async function measure(name: string): Promise<boolean> {
  const temporary = mkdtempSync(join(tmpdir(), "hox-bench-"));
  try {
    return await runBench(join(here, `${name}${ending}`), { temporary, signal: stop.signal, onRow: print });
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

let hasBroken = false;
for (const name of chosen(wanted)) {
  process.stderr.write(`bench: ${name}\n`);
  const hasMeasured = await measure(name);
  if (stoppedBy !== null) {
    process.stderr.write(`bench: stopped while ${name} was measured\n`);
    break;
  }
  if (!hasMeasured) hasBroken = true;
}
// A number that was missed is a result; only a benchmark that could not measure is an error.
process.exitCode = stoppedBy === null ? Number(hasBroken) : 128 + constants.signals[stoppedBy];
