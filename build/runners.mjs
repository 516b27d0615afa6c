import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { run } from "./setup/run-program.mjs";
import { project } from "./setup/set-up.mjs";
import { reportFile } from "./steps.mjs";

/** @typedef {import("./steps.mjs").Result} Result */
/** @typedef {{ passed: number, failed: number, failures?: readonly string[] }} Count */

/**
 * What a runner came to, from its report and its exit code. A runner that crashed, wrote no report or ran no
 * test at all has failed, whatever it counted before.
 * @param {Count | undefined} count from the report
 * @param {number} code
 * @returns {Count}
 */
export function judged(count, code) {
  const { passed, failed, ...rest } = count ?? { passed: 0, failed: 0 };
  const sound = code === 0 && count !== undefined && passed + failed > 0;
  return { passed, failed: sound ? failed : Math.max(failed, 1), ...rest };
}

/**
 * A failed test in a few lines. They are said once more at the end: whoever reads only the last page of a long output must
 * not have to guess.
 * @param {string} test
 * @param {string | undefined} message
 */
const failure = (test, message) =>
  [
    test,
    ...stripVTControlCharacters(message ?? "no message")
      .split("\n")
      .slice(0, 12),
  ].join("\n  ");

/** @param {any} report as vitest's JSON reporter writes it @returns {Count} */
export function countVitest(report) {
  // A file that cannot be loaded has no tests of its own to fail.
  const broken = report.testResults.filter(
    (/** @type {any} */ file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  // A test that passed at a later try keeps the messages of the earlier ones. It has failed.
  const retried = report.testResults
    .flatMap((/** @type {any} */ file) => file.assertionResults)
    .filter((/** @type {any} */ one) => one.status === "passed" && one.failureMessages.length > 0);
  const failures = report.testResults.flatMap((/** @type {any} */ file) => [
    ...(broken.includes(file) ? [failure(file.name, file.message)] : []),
    ...file.assertionResults
      .filter((/** @type {any} */ one) => one.status === "failed" || retried.includes(one))
      .map((/** @type {any} */ one) => failure(`${file.name}: ${one.fullName}`, one.failureMessages[0])),
  ]);
  return {
    passed: report.numPassedTests - retried.length,
    failed: report.numFailedTests + broken.length + retried.length,
    failures,
  };
}

/** A test that passed at a second try ("flaky") has failed. @param {any} report as Playwright's JSON reporter writes it @returns {Count} */
export const countPlaywright = ({ stats, errors, suites = [] }) => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky + errors.length,
  failures: [
    ...errors.map((/** @type {any} */ error) => failure("outside a test", error.message)),
    ...suites.flatMap(specsOf).flatMap((/** @type {any} */ spec) =>
      spec.tests
        .flatMap((/** @type {any} */ test) => test.results)
        .flatMap((/** @type {any} */ result) => result.errors ?? [])
        .map((/** @type {any} */ error) => failure(`${spec.file}: ${spec.title}`, error.message)),
    ),
  ],
});

/** @param {any} suite @returns {any[]} */
const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];

/**
 * @param {string} name
 * @param {string} node
 * @param {{ args: readonly string[], env?: Record<string, string>, count: (report: any) => Count, isShownAsItComes?: boolean, limitMs?: number }} runner
 * @returns {Promise<Result>}
 */
async function runReporting(
  name,
  node,
  { args, env = {}, count, isShownAsItComes = true, limitMs = 40 * 60_000 },
) {
  const file = reportFile(name);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  const started = Date.now();
  const { code, output } = await run(node, args, {
    cwd: project,
    env: { ...process.env, ...env, NO_COLOR: "1", FORCE_COLOR: undefined },
    show: isShownAsItComes,
    limitMs,
  });
  if (!isShownAsItComes) process.stderr.write(`\n${output}`);
  let counted;
  try {
    if (existsSync(file)) counted = count(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Cut off while it wrote: judged as a crash.
  }
  // Its output has been shown.
  const problem = output.trim() === "" ? `${name} exited with code ${code} and no output` : "";
  return { name, ...judged(counted, code), seconds: (Date.now() - started) / 1000, output: problem };
}

/** @param {string} node @param {"short" | "long"} which the tests that always run, or those that take long */
export const runVitest = (node, which = "short") =>
  runReporting("vitest", node, {
    args: [
      join(project, "node_modules/vitest/vitest.mjs"),
      ...["run", "--config", "build/vitest.config.ts", "--reporter=dot", "--reporter=json"],
      `--tags-filter=${which === "long" ? "long" : "!long"}`,
      `--outputFile.json=${reportFile("vitest")}`,
    ],
    count: countVitest,
  });

/**
 * @param {string} name
 * @param {string} node
 * @param {string} config
 * @param {{ which?: "short" | "long", isShownAsItComes?: boolean }} [options] the tests that always run, or those that take
 *   long; and whether its lines are shown at once or in one piece at its end
 */
export const runPlaywright = (name, node, config, { which = "short", isShownAsItComes = true } = {}) =>
  runReporting(name, node, {
    args: [
      join(project, "node_modules/@playwright/test/cli.js"),
      ...["test", "--config", config, "--reporter=list,json,html"],
      ...[which === "long" ? "--grep" : "--grep-invert", "@long"],
    ],
    env: {
      // Of what passes nobody looks at the pictures, and each is half a second of a core.
      ...(which === "short" ? { HOX_TEST_PICTURES: "no" } : {}),
      PLAYWRIGHT_JSON_OUTPUT_FILE: reportFile(name),
      PLAYWRIGHT_HTML_OPEN: "never",
      PLAYWRIGHT_HTML_OUTPUT_DIR: join(project, "playwright-report", name),
    },
    count: countPlaywright,
    isShownAsItComes,
  });
