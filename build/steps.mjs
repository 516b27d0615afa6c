import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "./setup/run-program.mjs";
import { project } from "./setup/set-up.mjs";

/**
 * What a step or a runner came to.
 * @typedef {{ name: string, passed: number, failed: number, seconds: number, output: string, failures?: readonly string[] }} Result
 */

const bin = /** @param {string} path */ (path) => join(project, "node_modules", path);

/** The layers' settings files, as the project's own lists them. */
function layers() {
  const { references } = JSON.parse(readFileSync(join(project, "tsconfig.json"), "utf8"));
  return /** @type {{ path: string }[]} */ (references).map(({ path }) => path.replace(/^\.\//, ""));
}

/**
 * Everything that is looked at without running the app: types of each layer, format and lint, layers, sizes, unused code.
 * @param {string} node
 */
export function checkSteps(node) {
  const types = layers().map((layer) => ({
    name: `types ${layer}`,
    program: node,
    // The native compiler says the same in a third of the time; what reads types as a library needs the other one.
    args: [bin("typescript-native/bin/tsc"), "-p", join(layer, "tsconfig.json")],
  }));
  const lint = {
    name: "format and lint",
    program: node,
    args: [bin("@biomejs/biome/bin/biome"), "ci", "--colors=off", "."],
  };
  const arrows = {
    name: "layers",
    program: node,
    args: [join(project, "build/layers.mjs")],
  };
  const sizes = {
    name: "sizes",
    program: node,
    args: [join(project, "build/check-sizes.mjs"), project],
  };
  const effects = {
    name: "effects",
    program: node,
    args: [join(project, "build/check-effects.mjs"), project],
  };
  const expressions = {
    name: "regular expressions",
    program: node,
    args: [join(project, "build/check-expressions.mjs"), project],
  };
  const unused = [
    { name: "unused code", args: [] },
    { name: "code that only tests use", args: ["--production"] },
  ].map(({ name, args }) => ({
    name,
    program: node,
    args: [bin("knip/bin/knip.js"), "--config", "build/knip.mjs", "--no-config-hints", ...args],
  }));
  const words = { name: "words", program: node, args: [join(project, "build/check-words.mjs"), project] };
  return [...types, lint, effects, arrows, sizes, expressions, words, ...unused];
}

/**
 * Runs the steps, two at a time, and says each result as it comes.
 * @param {ReturnType<typeof checkSteps>} steps
 * @param {(result: Result) => void} tell
 * @returns {Promise<Result[]>}
 */
export async function runSteps(steps, tell) {
  const waiting = [...steps];
  /** @type {Result[]} */
  const results = [];
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const started = Date.now();
      const { code, output } = await run(step.program, step.args, { cwd: project, limitMs: 10 * 60_000 });
      const seconds = (Date.now() - started) / 1000;
      const result = {
        name: step.name,
        passed: code === 0 ? 1 : 0,
        failed: code === 0 ? 0 : 1,
        seconds,
        output,
      };
      results.push(result);
      tell(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return results;
}

/** @param {Result} result */
export function describeResult({ name, passed, failed, seconds }) {
  const mark = failed === 0 ? "ok  " : "FAIL";
  return `${mark} ${name.padEnd(28)} ${passed} passed, ${failed} failed  ${seconds.toFixed(1)} s`;
}

/** Where runners leave their reports. @param {string} name */
export const reportFile = (name) => join(project, ".cache", "reports", `${name}.json`);
