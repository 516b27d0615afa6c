#!/usr/bin/env node
import { runPlaywright, runVitest } from "./runners.mjs";
import { installHeadlessShell } from "./setup/browser.mjs";
import { installPostgres } from "./setup/postgres.mjs";
import { describeParts, sayOnStderr, setUp, shortcomings } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";
import { checkSteps, describeResult, runSteps } from "./steps.mjs";

/** @typedef {import("./steps.mjs").Result} Result */

/** @type {Result[]} */
const results = [];
/** @param {Result} result */
const add = (result) => {
  if (result.failed > 0 && result.output) process.stdout.write(`\n${result.output.trim()}\n`);
  process.stdout.write(`${describeResult(result)}\n`);
  results.push(result);
};
/** @param {string} name @param {boolean} passed @param {number} since @param {string} [output] */
const step = (name, passed, since, output = "") =>
  add({ name, passed: passed ? 1 : 0, failed: passed ? 0 : 1, seconds: (Date.now() - since) / 1000, output });

/** The build, as a step of its own. @param {string} node */
async function build(node) {
  const since = Date.now();
  try {
    await buildIfNeeded(node, sayOnStderr);
    step("build", true, since);
    return true;
  } catch (error) {
    step("build", false, since, /** @type {Error} */ (error).message);
    return false;
  }
}

/**
 * Beside the unit tests, which leave time of the processor while they wait, as it does itself. What it says comes in one
 * piece at its end, and not between their dots.
 * @param {string} node
 * @param {"short" | "long"} which
 */
const browserSuite = (node, which) =>
  runPlaywright("browser", node, "e2e/playwright.config.ts", { which, isShownAsItComes: false });

/** Electron's program is not everywhere; where it must be, its absence fails. @param {import("./setup/part.mjs").Part} electron @param {string} node */
async function electronSmoke(electron, node) {
  const required = Boolean(process.env.HOX_REQUIRE_ELECTRON);
  const noDisplay = process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  const reason = !electron.found ? electron.note : noDisplay ? "no display" : undefined;
  if (reason === undefined) add(await runPlaywright("electron", node, "e2e/electron/playwright.config.ts"));
  else if (required) step("electron", false, Date.now(), `HOX_REQUIRE_ELECTRON is set, and ${reason}`);
  else process.stdout.write(`     electron smoke suite         not run: ${reason}\n`);
}

async function test() {
  const which = process.argv.includes("--long") ? "long" : "short";
  const parts = await setUp();
  for (const line of shortcomings(parts)) sayOnStderr(line);
  for (const line of describeParts(parts)) process.stdout.write(`     ${line}\n`);
  const node = parts.node.path;
  if (!node) throw new Error(`${parts.node.note}. ${parts.node.remedy}`);
  if (which === "short") await runSteps(checkSteps(node), add);
  const isBuilt = await build(node);
  await installHeadlessShell(sayOnStderr);
  await installPostgres(sayOnStderr);
  await Promise.all([runVitest(node, which).then(add), isBuilt && browserSuite(node, which).then(add)]);
  if (which === "short")
    process.stdout.write("     long tests                   not among these: npm run -s test:long\n");
  if (isBuilt && which === "short") await electronSmoke(parts.electron, node);
}

await test().catch((error) => step("set-up", false, Date.now(), error.message));

for (const line of results.flatMap(({ failures = [] }) => failures)) process.stdout.write(`\n${line}\n`);
const total = (/** @type {"passed" | "failed"} */ key) =>
  results.reduce((sum, result) => sum + result[key], 0);
process.stdout.write(`${total("passed")} passed, ${total("failed")} failed\n`);
process.exit(total("failed") > 0 || total("passed") === 0 ? 1 : 0);
