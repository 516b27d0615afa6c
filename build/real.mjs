#!/usr/bin/env node
/**
 * `npm run -s test:real [-- --only <name>]… [--list] [--keep] [--runners] [--record]`: tries small projects with the test
 * runners of this machine, then walks through projects of others as their users would: a first look, a scripted run over
 * the real wire to a landed branch, their own tests afterwards.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { hostArguments } from "./host-arguments.mjs";
import { isProgram } from "./setup/run-program.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";

/** @typedef {{ project: string, language: string, found: readonly string[], baseline: { passed: number, failed: number, missing: number, baselineFailures: readonly string[], seconds: number }, runSeconds: number, tokens: number, landed: boolean, ownTests: boolean, wrong: readonly string[], impossible: { reason: string, remedy: string } | null }} Walk */
/** @typedef {{ name: string, language: string, shows: readonly string[], archive: { registry: string, name: string, version: string }, goal: string }} Listed */

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    runners: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});

/**
 * What it says line by line, and its exit code.
 * @param {readonly [string, ...string[]]} command
 * @param {(line: unknown) => void} hear
 */
async function lines([program, ...args], hear) {
  const child = spawn(program, args, { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  const end = () => void child.kill("SIGTERM");
  process.once("SIGINT", end).once("SIGTERM", end);
  const ended = new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  for await (const line of createInterface({ input: child.stdout })) hear(JSON.parse(line));
  process.off("SIGINT", end).off("SIGTERM", end);
  return /** @type {Promise<number>} */ (ended);
}

/** @param {number} seconds */
const inSeconds = (seconds) => `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`;

/** @param {Walk} walk */
function cells({ project: name, language, found, baseline, runSeconds, tokens, landed, ownTests }) {
  const { passed, failed, missing, baselineFailures, seconds } = baseline;
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed (${baselineFailures.length} known)`] : []),
    ...(missing > 0 ? [`${missing} missing`] : []),
  ];
  return [
    name,
    language,
    found.join(", "),
    `${counts.join(", ")}, ${inSeconds(seconds)}`,
    inSeconds(runSeconds),
    tokens.toLocaleString("en"),
    landed ? "yes" : "NO",
    ownTests ? "as they should" : "NOT as they should",
  ];
}

/** @param {readonly Walk[]} walks */
function table(walks) {
  const head = ["project", "language", "found", "baseline", "run", "tokens", "landed", "own tests"];
  const rows = [head, ...walks.filter(({ impossible }) => impossible === null).map(cells)];
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  for (const { project: name, impossible } of walks)
    if (impossible)
      process.stdout.write(`${name}: not possible here: ${impossible.reason}. ${impossible.remedy}\n`);
  for (const { project: name, wrong } of walks)
    for (const text of wrong) process.stdout.write(`${name}: ${text}\n`);
}

async function real() {
  const parts = await setUp();
  for (const part of [parts.node, parts.jj, parts.git, parts.sandbox])
    if (!part.path || !isProgram(part.path)) throw new Error(`${part.note}. ${part.remedy}`);
  const node = parts.node.path ?? process.execPath;
  const only = values.only.flatMap((name) => ["--only", name]);
  const main = join(project, "e2e", "real", "main.ts");
  if (values.list)
    return lines([node, main, "--list", ...only, "--", "hox"], (line) => {
      const { name, language, shows, archive, goal } = /** @type {Listed} */ (line);
      const kinds = shows.length > 0 ? ` (${shows.join(", ")})` : "";
      process.stdout.write(
        `${name.padEnd(18)}  ${language.padEnd(10)}  ${archive.registry} ${archive.name} ${archive.version}${kinds}: ${goal}\n`,
      );
    });
  const runners = await lines(
    [node, main, "--runners", ...(values.record ? ["--record"] : []), ...(values.runners ? only : [])],
    () => undefined,
  );
  if (values.runners) return runners;
  await buildIfNeeded(node, sayOnStderr);
  const command = join(project, "out", "main", "cli.js");
  /** @type {Walk[]} */
  const walks = [];
  const code = await lines(
    [node, main, ...only, ...(values.keep ? ["--keep"] : []), "--", node, ...hostArguments, command],
    (line) => void walks.push(/** @type {Walk} */ (line)),
  );
  table(walks);
  for (const walk of walks) process.stdout.write(`${JSON.stringify(walk)}\n`);
  const possible = walks.filter(({ impossible }) => impossible === null);
  const failed = possible.filter(({ landed, ownTests, wrong }) => !landed || !ownTests || wrong.length > 0);
  process.stdout.write(
    `${possible.length - failed.length} passed, ${failed.length} failed, ${walks.length - possible.length} not possible here\n`,
  );
  if (code !== 0 || runners !== 0) return code || runners;
  // Nothing was shown where nothing was possible.
  return failed.length > 0 || possible.length === 0 ? 1 : 0;
}

process.exit(
  await real().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
